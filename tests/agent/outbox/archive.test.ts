import { describe, expect, test } from 'bun:test'
import { appendFileSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createArchive } from '../../../src/agent/outbox/archive.ts'
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

describe('createArchive', () => {
  test('default: what is attested is appended once, what was only hashed is not', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.jsonl`
    const archive = createArchive(path)
    const [first, second] = ['1', '2', '3'].map((value) => ({ sourceHash: archive.hash(sourceOf(value)) }))
    if (first === undefined || second === undefined) throw new Error('there are three')
    expect(first.sourceHash).toBe(hashSource(sourceOf('1')))
    await Promise.all([archive.append([first]), archive.append([second, first])])
    archive.hash(sourceOf('1'))
    await archive.append([first, { sourceHash: 'ab'.repeat(16) }])
    expect(readFileSync(path, 'utf8')).toBe(
      `${canonicalJson(sourceOf('1'))}\n${canonicalJson(sourceOf('2'))}\n`,
    )
    expect([...(await readArchive(path)).rows.keys()]).toEqual([first.sourceHash, second.sourceHash])
  })

  test('behavior: goes on behind what an earlier run wrote, on a line of its own', async () => {
    using folder = createFolder()
    const path = folder.write('archive.jsonl', '{"route":"cut o')
    const archive = createArchive(path)
    for (const value of ['1', '2']) await archive.append([{ sourceHash: archive.hash(sourceOf(value)) }])
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([
      '{"route":"cut o',
      canonicalJson(sourceOf('1')),
      canonicalJson(sourceOf('2')),
      '',
    ])
  })

  test('behavior: what the longest backfill hashes beforehand is all remembered', async () => {
    using folder = createFolder()
    const path = `${folder.path}/archive.jsonl`
    const archive = createArchive(path)
    const first = { sourceHash: archive.hash(sourceOf('0')) }
    for (let value = 1; value < 200_000; value++) archive.hash(sourceOf(`${value}`))
    await archive.append([first])
    expect([...(await readArchive(path)).rows.keys()]).toEqual([first.sourceHash])
  })

  test('behavior: after a full disk the next row is on a line of its own, and the torn one is skipped', async () => {
    using folder = createFolder()
    const [path, real] = [`${folder.path}/archive.jsonl`, folder.write('real.jsonl', '')]
    const archive = createArchive(path)
    const attested = ['1', '2'].map((value) => ({ sourceHash: archive.hash(sourceOf(value)) }))
    symlinkSync(real, path)
    await archive.append(attested.slice(0, 1))
    rmSync(path)
    symlinkSync('/dev/full', path)
    expect(await errorOf(archive.append(attested.slice(1)))).toMatchObject({
      code: 'archive_file',
      reason: 'ENOSPC',
      message: `${path} cannot be written (ENOSPC), and what is not archived is not attested: the disk is full: make room on it, or unset ARCHIVE_FILE`,
    })
    rmSync(path)
    symlinkSync(real, path)
    appendFileSync(real, '{"route":"cut o')
    await archive.append(attested.slice(1))
    const { rows, brokenLines } = await readArchive(path)
    expect([[...rows.keys()], brokenLines]).toEqual([attested.map(({ sourceHash }) => sourceHash), [2]])
  })

  test('error: a file that cannot be written says so, and the next try may succeed', async () => {
    using folder = createFolder()
    const archive = createArchive(`${folder.path}/not/there`)
    const attested = { sourceHash: archive.hash(sourceOf('1')) }
    expect(await errorOf(archive.append([attested]))).toMatchObject({
      code: 'archive_file',
      reason: 'ENOENT',
    })
    await Bun.write(`${folder.path}/not/there`, '')
    await archive.append([attested])
    expect(readFileSync(`${folder.path}/not/there`, 'utf8')).toContain('"value":"1"')
  })
})
