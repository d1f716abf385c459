import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { hasSmallDisks, onSmallDisk } from '@wattfeed/testing/smallDisk'
import { createArchive } from '../../../src/agent/send/archive.ts'
import { readSources } from '../../../src/agent/send/archiveDatabase.ts'
import { runToEnd, spawnProgram } from '../../support/program.ts'
import { attestedOf, silent, sourceOf } from './archivedSources.ts'
import { listRows } from './listRows.ts'

const valuesOf = (path: string): string[] => [...readSources(path).values()].map(({ value }) => value)
const archiveProcess = fileURLToPath(new URL('./archiveProcess.ts', import.meta.url))
const fullDisk = fileURLToPath(new URL('./fullDisk.ts', import.meta.url))
const processOf = (path: string, values: readonly string[]): string[] => [
  process.execPath,
  archiveProcess,
  path,
  ...values,
]

describe('createArchive', () => {
  test('default: the source of each attested value is stored once, with its time; a value without one adds nothing', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.db`
    let now = 1_800_000_000_000
    using archive = createArchive(path, { log: silent, now: () => now++ })
    const [first, second] = [attestedOf('1'), attestedOf('2')]
    await archive.append([{ source_hash: 'ab'.repeat(16) }])
    expect(existsSync(path)).toBe(false)
    await Promise.all([archive.append([first]), archive.append([second, first])])
    await archive.append([first, { source_hash: 'ab'.repeat(16) }])
    expect(readSources(path)).toEqual(
      new Map([
        [first.source_hash, sourceOf('1')],
        [second.source_hash, sourceOf('2')],
      ]),
    )
    expect(listRows(path).map(({ archived_at }) => archived_at)).toEqual([
      1_800_000_000_000, 1_800_000_000_001,
    ])
  })

  test('behavior: another run adds to the same file, which is one file when it is closed', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.db`
    for (const values of [['1'], ['1', '2']]) {
      using archive = createArchive(path, { log: silent })
      await archive.append(values.map(attestedOf))
    }
    expect([readdirSync(folder.path), valuesOf(path)]).toEqual([['archive.db'], ['1', '2']])
  })

  test('behavior: after the file was moved away, the next source is at its path', async () => {
    using folder = createFolder()
    const [path, moved] = [`${folder.path}/archive.db`, `${folder.path}/2026.db`]
    using archive = createArchive(path, { log: silent })
    await archive.append([attestedOf('1')])
    renameSync(path, moved)
    await archive.append([attestedOf('2')])
    expect([valuesOf(moved), valuesOf(path)]).toEqual([['1'], ['2']])
  })

  test('behavior: two processes append at once, and each source is stored once', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.db`
    const values = Array.from({ length: 100 }, (_, index) => String(index))
    const ended = await Promise.all(
      [values.slice(0, 60), values.slice(40)].map((each) => runToEnd(processOf(path, each))),
    )
    expect(ended.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(valuesOf(path).sort()).toEqual(values.toSorted())
  })

  test('behavior: a reader beside a process that writes finds whatever that process has reported', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.db`
    const values = Array.from({ length: 300 }, (_, index) => String(index))
    await using writer = spawnProgram(processOf(path, values), { env: {}, cwd: process.cwd() })
    for (const value of ['0', '100', '200']) {
      await writer.line(`archived ${value}`)
      expect(valuesOf(path)).toContain(value)
    }
    await writer.ended
    expect(valuesOf(path)).toEqual(values)
  })

  test('behavior: what was reported survives SIGKILL', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.db`
    const values = Array.from({ length: 5_000 }, (_, index) => String(index))
    const writer = spawnProgram(processOf(path, values), { env: {}, cwd: process.cwd() })
    await writer.line('archived 20')
    const { stdout } = await writer.kill()
    const reported = stdout.match(/(?<=^archived )\d+$/gm) ?? []
    expect(valuesOf(path).slice(0, reported.length)).toEqual([...reported])
  })

  test.skipIf(!hasSmallDisks)(
    'error: on a full disk nothing of a call is stored, and all of it once there is space',
    async () => {
      using folder = createFolder()
      const small = onSmallDisk(folder.path)
      const { stdout, stderr } = await runToEnd([...small, process.execPath, fullDisk, folder.path])
      expect([stderr, JSON.parse(stdout)]).toEqual([
        '',
        {
          message: `nothing is attested without the archive: ${folder.path}/archive.db cannot be written (SQLITE_FULL): the disk is full: free some space, or unset ARCHIVE_FILE`,
          kept: 1,
          later: 101,
        },
      ])
    },
  )

  test('error: a file that cannot be written is reported, and the next attempt may succeed', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.db`
    using archive = createArchive(path, { log: silent })
    mkdirSync(path)
    expect(await errorOf(archive.append([attestedOf('1')]))).toMatchObject({
      code: 'archive_file',
      retryable: true,
      path,
      message: expect.stringContaining(`${path} is not a regular file`),
    })
    rmdirSync(path)
    await archive.append([attestedOf('1')])
    expect(valuesOf(path)).toEqual(['1'])
  })

  test('error: a folder that cannot be created', async () => {
    using folder = createFolder()
    const file = folder.write('file', '')
    using archive = createArchive(`${file}/archive.db`, { log: silent })
    expect(await errorOf(archive.append([attestedOf('1')]))).toMatchObject({ code: 'archive_file' })
  })
})
