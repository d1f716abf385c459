import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { acquireLock } from '../../../src/agent/state/lockFile.ts'
import { writeAtomically } from '../../../src/agent/state/writeAtomically.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder } from '../support/keys.ts'

describe('writeAtomically', () => {
  test('default: makes the folder, replaces the file, leaves nothing else', async () => {
    using folder = createFolder()
    const path = `${folder.path}/a/b/file.json`
    await writeAtomically(path, 'one')
    await writeAtomically(path, 'two')
    expect([readFileSync(path, 'utf8'), readdirSync(`${folder.path}/a/b`)]).toEqual(['two', ['file.json']])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('error: what cannot be replaced stays, and nothing is left beside it', async () => {
    using folder = createFolder()
    await writeAtomically(`${folder.path}/taken/file`, 'one')
    expect(writeAtomically(`${folder.path}/taken`, 'two')).rejects.toThrow()
    await writeAtomically(`${folder.path}/taken`, 'two').catch(() => {})
    expect(readdirSync(folder.path)).toEqual(['taken'])
    expect(readFileSync(`${folder.path}/taken/file`, 'utf8')).toBe('one')
  })
})

async function firstLine({ stdout }: { stdout: ReadableStream<Uint8Array> }): Promise<string> {
  const { value } = await stdout.getReader().read()
  return new TextDecoder().decode(value).trim()
}

describe('acquireLock', () => {
  test('default: one at a time; given back, another can have it', async () => {
    using folder = createFolder()
    const path = `${folder.path}/state/lock`
    {
      await using _ = await acquireLock(path)
      const error = await errorOf(acquireLock(path))
      expect<unknown>([{ ...error }, error.message]).toEqual([
        { code: 'locked', retryable: true, path, holder: process.pid },
        `${path} is held by process ${process.pid}`,
      ])
    }
    await using _ = await acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`)
  })

  test('behavior: what a dead process left is taken over', async () => {
    using folder = createFolder()
    const child = Bun.spawn([process.execPath, '--version'], { stdout: 'ignore' })
    await child.exited
    const path = folder.write('lock', `${child.pid}\n`)
    await using _ = await acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`)
  })

  test('behavior: one with this process’s own id is of a process before it', async () => {
    using folder = createFolder()
    const path = folder.write('lock', `${process.pid}\n`)
    await using _ = await acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`)
  })

  test('behavior: of two that find a dead holder at once, one takes over', async () => {
    using folder = createFolder()
    const dead = Bun.spawn([process.execPath, '--version'], { stdout: 'ignore' })
    await dead.exited
    const path = folder.write('lock', `${dead.pid}\n`)
    const module = new URL('../../../src/agent/state/lockFile.ts', import.meta.url).pathname
    const program = `
      const { acquireLock } = await import(${JSON.stringify(module)})
      await acquireLock(${JSON.stringify(path)}).then(() => console.log(process.pid), () => console.log('locked'))
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
    expect(await errorOf(acquireLock(path))).toMatchObject({ code: 'locked', holder: process.ppid })
  })

  test('error: a file that names no process', async () => {
    using folder = createFolder()
    const path = folder.write('lock', '')
    expect((await errorOf(acquireLock(path))).message).toContain('remove it if none runs')
  })
})
