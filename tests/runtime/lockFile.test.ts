import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { acquireLock } from '../../src/runtime/lockFile.ts'
import { createFolder } from '../agent/support/keys.ts'
import { errorOf } from '../support/errorOf.ts'

async function firstLine({ stdout }: { stdout: ReadableStream<Uint8Array> }): Promise<string> {
  const { value } = await stdout.getReader().read()
  return new TextDecoder().decode(value).trim()
}

/** What it throws, as a promise has it. */
const tryLock = async (path: string): Promise<Disposable> => acquireLock(path)

describe('acquireLock', () => {
  test('default: one at a time; given back, another can have it', async () => {
    using folder = createFolder()
    const path = `${folder.path}/state/lock`
    {
      using _ = acquireLock(path)
      const error = await errorOf(tryLock(path))
      expect<unknown>([{ ...error }, error.message]).toEqual([
        { code: 'locked', retryable: true, path, holder: process.pid },
        `${path} is held by process ${process.pid}; wait for its end, or stop it`,
      ])
    }
    using _ = acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`)
  })

  test('behavior: what a dead process left is taken over', async () => {
    using folder = createFolder()
    const child = Bun.spawn([process.execPath, '--version'], { stdout: 'ignore' })
    await child.exited
    const path = folder.write('lock', `${child.pid}\n`)
    using _ = acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`)
  })

  test('behavior: one with this process’s own id is of a process before it', async () => {
    using folder = createFolder()
    const path = folder.write('lock', `${process.pid}\n`)
    using _ = acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`)
  })

  test('behavior: of two that find a dead holder at once, one takes over', async () => {
    using folder = createFolder()
    const dead = Bun.spawn([process.execPath, '--version'], { stdout: 'ignore' })
    await dead.exited
    const path = folder.write('lock', `${dead.pid}\n`)
    const module = new URL('../../src/runtime/lockFile.ts', import.meta.url).pathname
    const program = `
      const { acquireLock } = await import(${JSON.stringify(module)})
      try {
        acquireLock(${JSON.stringify(path)})
        console.log(process.pid)
      } catch { console.log('locked') }
      await Bun.stdin.text()`
    const rivals = Array.from({ length: 2 }, () =>
      Bun.spawn([process.execPath, '--eval', program], { stdin: 'pipe', stdout: 'pipe' }),
    )
    const said = await Promise.all(rivals.map(firstLine))
    const [winner] = said.filter((line) => line !== 'locked')
    expect({ said: said.toSorted(), holder: readFileSync(path, 'utf8') }).toEqual({
      said: [`${winner}`, 'locked'],
      holder: `${winner}\n`,
    })
    expect(readdirSync(folder.path)).toEqual(['lock'])
    for (const { stdin } of rivals) stdin.end()
    await Promise.all(rivals.map(({ exited }) => exited))
  })

  test('error: a living process is named', async () => {
    using folder = createFolder()
    const path = folder.write('lock', `${process.ppid}\n`)
    expect(await errorOf(tryLock(path))).toMatchObject({ code: 'locked', holder: process.ppid })
  })

  test('error: a file that names no process', async () => {
    using folder = createFolder()
    const path = folder.write('lock', '')
    expect((await errorOf(tryLock(path))).message).toContain('remove it if none runs')
  })
})
