import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { spawnProgram } from '../support/program.ts'

const path = (name: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${name}`, import.meta.url)))

/** Has a key in a demo's folder, and does not end by itself. */
const holder = `
import { writeFileSync } from 'node:fs'
import { createDemoFolder } from ${path('demo/demoFolder.ts')}
import { nextStopSignal } from ${path('runtime/stopSignal.ts')}
const stopped = nextStopSignal()
const { path } = createDemoFolder()
writeFileSync(path + '/secret_key.pem', 'secret')
console.log('folder ' + path)
setInterval(() => {}, 1_000)
await stopped
console.log('stopping')
`

/** Creates a folder and removes it. */
const next = `
import { createDemoFolder } from ${path('demo/demoFolder.ts')}
createDemoFolder()[Symbol.dispose]()
`

describe('the folder of a demo', () => {
  let temporary: Folder
  beforeEach(() => {
    temporary = createFolder()
  })
  afterEach(() => temporary[Symbol.dispose]())

  const start = (program: string) =>
    spawnProgram([process.execPath, '-e', program], {
      env: { TMPDIR: temporary.path },
      cwd: temporary.path,
    })
  const list = () => readdirSync(temporary.path)
  const runNext = async () => {
    await using program = start(next)
    expect(await program.ended).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  }

  test.each(['SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGABRT', 'SIGXCPU'] as const)(
    'default: %s ends the process, and no key is left',
    async (signal) => {
      await using program = start(holder)
      await program.line('folder ')
      expect(list()).toHaveLength(1)
      expect((await program.kill(signal)).exitCode).toBeGreaterThan(128)
      expect(list()).toEqual([])
    },
  )

  // A shell passes the signal of a closed terminal on, so that it comes twice. The first lets work end.
  test.each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)(
    'behavior: a second %s ends the process, and no key is left',
    async (signal) => {
      await using program = start(holder)
      await program.line('folder ')
      process.kill(program.pid, signal)
      await program.line('stopping')
      expect(list()).toHaveLength(1)
      expect((await program.kill(signal)).exitCode).toBeGreaterThan(128)
      expect(list()).toEqual([])
    },
  )

  test('behavior: after SIGKILL, the next start removes the folder, and no other', async () => {
    const others = ['wattfeed-demo-starts', 'wattfeed-demonstration', 'elsewhere']
    for (const name of others) {
      mkdirSync(join(temporary.path, name))
      writeFileSync(join(temporary.path, name, 'secret_key.pem'), 'secret')
    }
    // A folder that somebody links to is not removed either.
    writeFileSync(join(temporary.path, 'elsewhere/demo'), '1 host demo\n')
    symlinkSync(join(temporary.path, 'elsewhere'), join(temporary.path, 'wattfeed-demo-link'))
    const kept = [...others, 'wattfeed-demo-link']

    await using killed = start(holder)
    await killed.line('folder ')
    await killed.kill('SIGKILL')
    await using running = start(holder)
    const live = basename((await running.line('folder ')).trim())
    expect(list().sort()).toEqual([...kept, live].sort())
    await runNext()
    expect(list().sort()).toEqual([...kept, live].sort())
    await running.kill('SIGKILL')
    await runNext()
    expect(list().sort()).toEqual(kept.sort())
  })

  test('behavior: a folder that is gone already is no error at the end', async () => {
    await using program = start(holder)
    const folder = (await program.line('folder ')).trim().replace('folder ', '')
    rmSync(folder, { recursive: true })
    expect((await program.kill('SIGQUIT')).stderr).toBe('')
  })

  test('behavior: demos that start at once remove the same folders', async () => {
    const killed = Array.from({ length: 4 }, () => start(holder))
    for (const each of killed) await each.line('folder ')
    for (const each of killed) await each.kill('SIGKILL')
    await Promise.all(Array.from({ length: 4 }, runNext))
    expect(list()).toEqual([])
  })
})
