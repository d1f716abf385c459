import { describe, expect, test } from 'bun:test'
import { appendFileSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createArchive } from '../../../src/agent/send/archive.ts'
import { canonicalJson, hashSource } from '../../../src/eia/sourceHash.ts'
import { readArchive } from '../../../src/operator/provenance/archivedRows.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder } from '../../support/folder.ts'

const sourceOf = (value: string) => ({
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  facets: { series: 'RWTC' },
  period: '2026-11-16',
  value,
  unit: '$/BBL',
})

const attestedOf = (value: string) => ({ source_hash: hashSource(sourceOf(value)), source: sourceOf(value) })

describe('createArchive', () => {
  test('default: the source of each attested value is appended once; a value without a source adds nothing', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.jsonl`
    const archive = createArchive(path)
    const [first, second] = [attestedOf('1'), attestedOf('2')]
    await Promise.all([archive.append([first]), archive.append([second, first])])
    await archive.append([first, { source_hash: 'ab'.repeat(16) }])
    expect(readFileSync(path, 'utf8')).toBe(
      `${canonicalJson(sourceOf('1'))}\n${canonicalJson(sourceOf('2'))}\n`,
    )
    expect([...(await readArchive(path)).rows.keys()]).toEqual([first.source_hash, second.source_hash])
  })

  test('behavior: appends to the lines of an earlier run, on a new line', async () => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', '{"route":"cut o')
    const archive = createArchive(path)
    for (const value of ['1', '2']) await archive.append([attestedOf(value)])
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([
      '{"route":"cut o',
      canonicalJson(sourceOf('1')),
      canonicalJson(sourceOf('2')),
      '',
    ])
  })

  test('behavior: after a full disk the next row is on a line of its own, and the torn one is skipped', async () => {
    using folder = createFolder()
    const [path, real] = [`${folder.path}/archive.jsonl`, folder.write('real.jsonl', '')]
    const archive = createArchive(path)
    const attested = ['1', '2'].map(attestedOf)
    symlinkSync(real, path)
    await archive.append(attested.slice(0, 1))
    rmSync(path)
    symlinkSync('/dev/full', path)
    expect(await errorOf(archive.append(attested.slice(1)))).toMatchObject({
      code: 'archive_file',
      reason: 'ENOSPC',
      message: `${path} cannot be written (ENOSPC), so nothing is attested: the disk is full: free some space, or unset ARCHIVE_FILE`,
    })
    rmSync(path)
    symlinkSync(real, path)
    appendFileSync(real, '{"route":"cut o')
    await archive.append(attested.slice(1))
    const { rows, brokenLines } = await readArchive(path)
    expect([[...rows.keys()], brokenLines]).toEqual([attested.map(({ source_hash }) => source_hash), [2]])
  })

  test('error: a write failure is reported, and the next attempt may succeed', async () => {
    using folder = createFolder()
    const archive = createArchive(`${folder.path}/not/there`)
    const attested = attestedOf('1')
    expect(await errorOf(archive.append([attested]))).toMatchObject({
      code: 'archive_file',
      reason: 'ENOENT',
    })
    await Bun.write(`${folder.path}/not/there`, '')
    await archive.append([attested])
    expect(readFileSync(`${folder.path}/not/there`, 'utf8')).toContain('"value":"1"')
  })
})
