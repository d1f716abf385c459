import { describe, expect, test } from 'bun:test'
import { lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { acquireLock } from '@wattfeed/base/disk'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { canonicalJson } from '../../../packages/wattfeed/src/provenance/sourceHash.ts'
import { createArchive } from '../../../src/agent/send/archive.ts'
import { runToEnd } from '../../support/program.ts'
import { attestedOf, silent, sourceOf } from './archivedSources.ts'
import { listRows } from './listRows.ts'

const killedImport = fileURLToPath(new URL('./killedImport.ts', import.meta.url))
const lines = ['1', '2', '1'].map((value) => `${canonicalJson(sourceOf(value))}\n`).join('')
const hashes = ['1', '2', '3'].map((value) => attestedOf(value).source_hash)

/** Archives another value, and returns what was logged. */
async function appendTo(path: string): Promise<unknown[]> {
  const logged: unknown[] = []
  const note = (fields: object, message: string) => void logged.push([message, fields])
  using archive = createArchive(path, { log: { info: note, warn: note } })
  await archive.append([attestedOf('3')])
  return logged
}

describe('importArchive', () => {
  test('default: lines become a database of the same name, each source once, and are kept', async () => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', lines)
    expect(await appendTo(path)).toEqual([
      ['archive imported into a database', { path, kept: `${path}.imported`, sources: 3 }],
    ])
    expect(readdirSync(folder.path).sort()).toEqual(['archive.jsonl', 'archive.jsonl.imported'])
    const rows = listRows(path)
    expect(rows.map(({ source_hash }) => source_hash)).toEqual(hashes)
    expect(rows.map(({ archived_at }) => archived_at)).toEqual([null, null, expect.any(Number)])
    expect(readFileSync(`${path}.imported`, 'utf8')).toBe(lines)
    expect(await appendTo(path)).toEqual([])
  })

  test('behavior: a torn last line is skipped with a warning', async () => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', `${lines}{"route":"cut o`)
    expect((await appendTo(path))[1]).toEqual([
      'import of the archive skipped broken lines',
      {
        path,
        kept: `${path}.imported`,
        lines: [4],
        detail: '1 lines, cut off by a crash or a full disk',
      },
    ])
    expect(listRows(path).map(({ source_hash }) => source_hash)).toEqual(hashes)
  })

  test.each(['', '\n'])('behavior: an empty file %j becomes a database', async (text) => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', text)
    await appendTo(path)
    expect(listRows(path)).toHaveLength(1)
  })

  test('behavior: a symbolic link stays, and the file that it names is imported beside itself', async () => {
    using folder = createFolder()
    using other = createFolder()
    const [path, real] = [`${folder.path}/archive.jsonl`, other.write('real.jsonl', lines)]
    symlinkSync(real, path)
    await appendTo(path)
    expect(readdirSync(other.path).sort()).toEqual(['real.jsonl', 'real.jsonl.imported'])
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(listRows(real)).toHaveLength(3)
  })

  test.each(['built', 'linked', 'renamed'])(
    'behavior: killed when it has %s, it loses nothing, and the next run finishes',
    async (step) => {
      using folder = createFolder()
      const path = folder.write('archive.jsonl', lines)
      const { exitCode } = await runToEnd([process.execPath, killedImport, path, step])
      expect(exitCode).toBe(137)
      await appendTo(path)
      // The files of the dead process's lock stay, if there is nothing left to import. The kernel has released it.
      const files = readdirSync(folder.path).filter((name) => !name.includes('.lock'))
      expect(files.sort()).toEqual(['archive.jsonl', 'archive.jsonl.imported'])
      expect(listRows(path).map(({ source_hash }) => source_hash)).toEqual(hashes)
      expect(readFileSync(`${path}.imported`, 'utf8')).toBe(lines)
    },
  )

  test('behavior: the remains of an import that was killed while it built are replaced', async () => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', lines)
    for (const suffix of ['', '-wal', '-journal']) folder.write(`archive.jsonl.importing${suffix}`, 'remains')
    await appendTo(path)
    expect(readdirSync(folder.path).sort()).toEqual(['archive.jsonl', 'archive.jsonl.imported'])
    expect(listRows(path)).toHaveLength(3)
  })

  test('behavior: while another process imports, nothing is archived; then it is', async () => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', lines)
    using archive = createArchive(path, { log: silent })
    const lock = acquireLock(`${path}.lock`, 'import')
    expect(await errorOf(archive.append([attestedOf('3')]))).toMatchObject({
      code: 'archive_file',
      message: `nothing is attested without the archive: ${path}.lock is locked by process ${process.pid} (import); wait until it ends, or stop it, or unset ARCHIVE_FILE`,
    })
    expect(readFileSync(path, 'utf8')).toBe(lines)
    lock[Symbol.dispose]()
    await archive.append([attestedOf('3')])
    expect(listRows(path)).toHaveLength(3)
  })

  test.each([
    ['other lines', '{"a":1}\n{"b":2}\n', ' is neither an archive nor lines of canonical JSON (line 1 is'],
    ['another file', 'x'.repeat(5_000), ' is neither an archive nor lines of canonical JSON (line 1 is'],
  ])('error: %s are refused and stay as they are', async (_, text, rule) => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', text)
    const error = await errorOf(appendTo(path))
    expect(error).toMatchObject({
      code: 'archive_file',
      message: expect.stringContaining(`${path}${rule}`),
    })
    expect([readdirSync(folder.path), readFileSync(path, 'utf8')]).toEqual([['archive.jsonl'], text])
  })

  test('error: another file of the name to keep the lines is not overwritten', async () => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', lines)
    const kept = folder.write('archive.jsonl.imported', 'earlier')
    expect((await errorOf(appendTo(path))).message).toContain(
      `${path} cannot be imported, because ${kept} exists; move ${kept} away`,
    )
    expect([readFileSync(path, 'utf8'), readFileSync(kept, 'utf8')]).toEqual([lines, 'earlier'])
  })
})
