import { expect, test } from 'bun:test'
import { createFolder } from '@wattfeed/testing/folder'
import { canonicalJson, hashSource } from '../../../packages/wattfeed/src/provenance/sourceHash.ts'
import { createArchive } from '../../../src/agent/send/archive.ts'
import { readArchive } from '../../../src/operator/provenance/readArchive.ts'
import { binary } from '../../support/binary.ts'
import { runToEnd } from '../../support/program.ts'

const sourceOf = (value: string) => ({
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  facets: { series: 'RWTC' },
  period: '2026-11-16',
  value,
  unit: '$/BBL',
})
const sources = ['2', '1'].map(sourceOf)
const lines = sources.map((source) => `${canonicalJson(source)}\n`).join('')

const print = (path: string) => runToEnd([binary, 'provenance', 'archive', path])

test('default: prints the archive of an agent that runs as lines of JSON, which can be read like the archive', async () => {
  using folder = createFolder()
  const path = `${folder.path}/archive.db`
  using archive = createArchive(path, { log: { info: () => {}, warn: () => {} } })
  await archive.append(sources.map((source) => ({ source, source_hash: hashSource(source) })))
  expect(await print(path)).toEqual({ exitCode: 0, stdout: lines, stderr: '' })
  const printed = folder.write('archive.jsonl', lines)
  expect(await readArchive(printed)).toEqual(await readArchive(path))
})

test('behavior: prints the whole lines of a file of lines, and warns about the others', async () => {
  using folder = createFolder()
  const path = folder.write('archive.jsonl', `${lines}{"route":"cut o`)
  expect(await print(path)).toEqual({
    exitCode: 0,
    stdout: lines,
    stderr: `provenance: ${path}: skipped incomplete lines, cut off by a crash or a full disk: 3\n`,
  })
  expect(await Bun.file(path).text()).toBe(`${lines}{"route":"cut o`)
})

test('error: a file that does not exist', async () => {
  expect(await print('/no/such/file')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'provenance: /no/such/file does not exist; name the ARCHIVE_FILE of an agent\n',
  })
})
