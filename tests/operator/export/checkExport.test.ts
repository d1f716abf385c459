import { describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { checkExport, formatCheck, isAsWritten } from '../../../src/operator/export/checkExport.ts'
import { createOut, exportFrom, filesOf, manifestOf } from './exported.ts'

const chain = await createRegistryChain({ feeds: 3 })
for (let period = 1; period <= 20; period++) chain.attest(testFeedId(0), { period })
await chain.advance()

const check = (folder: string, lines: string[] = []) =>
  checkExport({ folder, progress: (line) => lines.push(line) })

/** Changes one bit of a file. */
function flipBit(path: string): void {
  const content = readFileSync(path)
  content[content.length - 3] = (content.at(-3) ?? 0) ^ 1
  writeFileSync(path, content)
}

describe('checkExport', () => {
  test.each(['parquet', 'csv'] as const)('default: a %s data set matches its manifest', async (format) => {
    using out = createOut()
    await exportFrom(chain, out.path, { format, rowsPerFile: 5 })
    const { version, state_root_hash } = manifestOf(out.path)
    const manifest = join(out.path, '_manifest.json')
    const manifest_sha256 = hash('sha256', readFileSync(manifest))
    const lines: string[] = []
    const report = await check(out.path, lines)
    expect(report).toEqual({
      command: 'export',
      manifest,
      manifest_sha256,
      version,
      state_root_hash,
      files: 7,
      intact: 7,
      changed: [],
      missing: [],
      extra: [],
      is_unfinished: false,
    })
    expect(isAsWritten(report)).toBeTrue()
    expect(lines.at(-1)).toBe('7 of 7 files checked')
    expect(formatCheck(report)).toBe(
      `7 of 7 files match the manifest\nstate root ${state_root_hash}, version ${version}\nmanifest ${manifest}, SHA-256 ${manifest_sha256}`,
    )
  })

  test('error: names what changed at the same size or another, is missing, or is not in the manifest', async () => {
    using out = createOut()
    await exportFrom(chain, out.path, { rowsPerFile: 5 })
    const [same = '', cut = '', gone = ''] = manifestOf(out.path).feeds.flatMap(({ files }) =>
      files.map(({ path }) => path),
    )
    flipBit(join(out.path, same))
    writeFileSync(join(out.path, cut), 'x')
    rmSync(join(out.path, gone))
    mkdirSync(join(out.path, 'feed_id=B'))
    writeFileSync(join(out.path, 'feed_id=B/part-000000000000.parquet'), '')
    writeFileSync(join(out.path, 'notes\u001b.txt'), '')
    writeFileSync(join(out.path, '.hidden'), '')
    const before = filesOf(out.path)
    const report = await check(out.path)
    expect(report).toMatchObject({
      files: 7,
      intact: 4,
      changed: [same, cut],
      missing: [gone],
      extra: ['feed_id=B/part-000000000000.parquet', 'notes\u001b.txt'],
    })
    expect(isAsWritten(report)).toBeFalse()
    expect(formatCheck(report).split('\n').slice(0, 8)).toEqual([
      '4 of 7 files match the manifest',
      `changed: ${same}`,
      `changed: ${cut}`,
      `missing: ${gone}`,
      'extra: feed_id=B/part-000000000000.parquet',
      'extra: notes\\u{1b}.txt',
      'to restore the changed and missing files, run the export to this folder again',
      'readers may take the extra files for data: move them away',
    ])
    expect(filesOf(out.path)).toEqual(before)
  })

  test('behavior: reports a run that was interrupted while it moved its files', async () => {
    using out = createOut()
    await exportFrom(chain, out.path)
    mkdirSync(join(out.path, '.export'))
    writeFileSync(join(out.path, '.export/_manifest.json'), '{}')
    const report = await check(out.path)
    expect([report.is_unfinished, isAsWritten(report)]).toEqual([true, true])
    expect(formatCheck(report)).toContain(
      'an export was interrupted while it moved its files here: run the export to this folder again',
    )
  })

  test.each([
    ['is found but not read', 'EISDIR', mkdirSync],
    ['cannot be looked for', 'ELOOP', (path: string) => symlinkSync(path, path)],
  ])('error: a file that %s is not missing', async (_, reason, put) => {
    using out = createOut()
    await exportFrom(chain, out.path)
    const [file] = manifestOf(out.path).feeds.flatMap(({ files }) => files)
    const path = join(out.path, file?.path ?? '')
    rmSync(path)
    put(path)
    const bytes = reason === 'EISDIR' ? statSync(path).size : file?.bytes
    const manifest = readFileSync(join(out.path, '_manifest.json'), 'utf8')
    writeFileSync(
      join(out.path, '_manifest.json'),
      manifest.replace(`"bytes": ${file?.bytes}`, `"bytes": ${bytes}`),
    )
    expect(await errorOf(check(out.path))).toMatchObject({
      code: 'data_set',
      message: `${path} cannot be read (${reason}); let this user read it`,
    })
  })

  test('behavior: a file where the folder of another one was leaves that one missing', async () => {
    using out = createOut()
    await exportFrom(chain, out.path)
    const [gone = ''] = manifestOf(out.path).feeds.flatMap(({ files }) => files.map(({ path }) => path))
    const folder = dirname(gone)
    rmSync(join(out.path, folder), { recursive: true })
    writeFileSync(join(out.path, folder), '')
    expect(await check(out.path)).toMatchObject({ missing: [gone], extra: [folder] })
  })

  test('error: a folder without a manifest, and a manifest that names files outside of it', async () => {
    using out = createOut()
    expect(await errorOf(check(out.path))).toMatchObject({
      code: 'data_set',
      message: `${join(out.path, '_manifest.json')} does not exist; name the folder of an export`,
    })
    await exportFrom(chain, out.path)
    const manifest = readFileSync(join(out.path, '_manifest.json'), 'utf8')
    writeFileSync(join(out.path, '_manifest.json'), manifest.replace(/feed_id=[^/]*\/part/, '../part'))
    expect(await errorOf(check(out.path))).toMatchObject({ code: 'data_set' })
  })
})

test('behavior: the next export restores a file that was changed at the same size', async () => {
  using out = createOut()
  await exportFrom(chain, out.path)
  const before = manifestOf(out.path)
  const [path = ''] = before.feeds.flatMap(({ files }) => files.map(({ path }) => path))
  flipBit(join(out.path, path))
  expect(await exportFrom(chain, out.path)).toMatchObject({ rewritten: [testFeedId(0)], new_rows: 21 })
  expect(isAsWritten(await check(out.path))).toBeTrue()
  expect(manifestOf(out.path).feeds).toEqual(before.feeds)
})
