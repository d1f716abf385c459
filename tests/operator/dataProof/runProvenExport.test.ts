import { describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { checkExport, isAsWritten } from '../../../src/operator/export/checkExport.ts'
import { type Disk, disk } from '../../../src/operator/export/staging.ts'
import { sha256Hex } from '../../../src/runtime/sha256.ts'
import { localClient } from '../../client/localClient.ts'
import { createCallCounter } from '../../support/callCounter.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createRandom } from '../../support/random.ts'
import { createRegistryChain, type RegistryChain, testFeedId } from '../../support/registryChain.ts'
import { createOut, exportFrom, filesOf, manifestOf, modelTable, readTable } from '../export/exported.ts'
import { checkProven, exportProven, proofPath } from './provenData.ts'

/** Attests values with revisions, and registers a feed without a value. */
async function createChain(): Promise<RegistryChain> {
  const chain = await createRegistryChain({ feeds: 3 })
  for (let index = 0; index < 40; index++)
    chain.attest(testFeedId(index % 3), { period: 20_261_001 + (index % 9), amount: BigInt(index) ** 20n })
  chain.register('EMPTY.FEED')
  await chain.advance()
  return chain
}

const chain = await createChain()

const partialPath = (out: string): string => join(out, '.proofs', '_proofs.jsonl')

/** A disk that fails at one operation, and all after it: like a process that is killed there. */
function diskUntil(operations: number): Disk {
  let left = operations
  const guarded =
    <A extends unknown[]>(work: (...args: A) => Promise<void>) =>
    async (...args: A): Promise<void> => {
      if (left-- <= 0) throw new Error('killed')
      return work(...args)
    }
  return {
    write: guarded(disk.write),
    append: guarded(disk.append),
    replace: guarded(disk.replace),
    move: guarded(disk.move),
    remove: guarded(disk.remove),
    sync: guarded(disk.sync),
  }
}

describe('an export with a proof', () => {
  test.each(['parquet', 'csv'] as const)(
    'default: the rows and the proof are of one block (%s)',
    async (format) => {
      using out = createOut()
      const report = await exportProven(chain, out.path, { format, rowsPerFile: 7 })
      expect(report).toMatchObject({ feeds: 4, rows: 43, state_root_hash: chain.stateRootHash() })
      expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
      const proof = readFileSync(proofPath(out.path))
      const { proofs, feeds } = manifestOf(out.path)
      expect(proofs).toEqual({ bytes: proof.length, sha256: sha256Hex(proof) })
      const parts = feeds.flatMap(({ files }) => files.map(({ path }) => path))
      expect(filesOf(out.path)).toEqual(['_manifest.json', '_proofs.jsonl', ...parts].sort())
      const { dataSet, links } = await checkProven(chain, proofPath(out.path))
      expect(dataSet).toEqual({
        block_height: expect.any(Number),
        state_root_hash: chain.stateRootHash(),
        feeds: 4,
        values: 43,
        events: { FeedRegistry: 4, AttestationRegistry: 43 },
        rows: 43,
      })
      expect(links.every(({ holds }) => holds)).toBeTrue()
      expect(isAsWritten(await checkExport({ folder: out.path, progress: () => {} }))).toBeTrue()
    },
  )

  test('behavior: each element of the trie is stored once, and each value takes one call', async () => {
    using out = createOut()
    const calls = createCallCounter(chain.answer)
    await exportProven(chain, out.path, { answer: calls.answer })
    const lines = readFileSync(proofPath(out.path), 'utf8').split('\n')
    expect(new Set(lines).size).toBe(lines.length)
    // The number of feeds and of values, 4 ids with metadata and count, 43 values, 47 events.
    expect(calls.byMethod()).toMatchObject({ state_get_dictionary_item: 2 + 3 * 4 + 43 + 47 })
  })

  test('behavior: without a manifest beside it, the proof shows its content and compares no rows', async () => {
    using out = createOut()
    using other = createOut()
    await exportProven(chain, out.path)
    await Bun.write(proofPath(other.path), Bun.file(proofPath(out.path)))
    const { dataSet, links } = await checkProven(chain, proofPath(other.path))
    expect(dataSet).toMatchObject({ values: 43, rows: null })
    expect(links.at(-1)).toEqual({
      link: 'manifest',
      holds: true,
      detail: 'none beside the proof, so no rows are compared',
    })
  })

  test('behavior: registries without any feed', async () => {
    using out = createOut()
    const empty = await createRegistryChain()
    expect(await exportProven(empty, out.path)).toMatchObject({ feeds: 0, rows: 0 })
    expect((await checkProven(empty, proofPath(out.path))).dataSet).toMatchObject({
      feeds: 0,
      values: 0,
      rows: 0,
    })
  })

  test('behavior: a second run moves rows and proof to the newest block', async () => {
    using out = createOut()
    const chain = await createChain()
    await exportProven(chain, out.path)
    const before = readFileSync(proofPath(out.path))
    chain.attest(testFeedId(1), { amount: 7n })
    await chain.advance()
    expect(await exportProven(chain, out.path)).toMatchObject({ rows: 44, new_rows: 1 })
    expect(readFileSync(proofPath(out.path)).equals(before)).toBeFalse()
    expect((await checkProven(chain, proofPath(out.path))).dataSet).toMatchObject({ values: 44, rows: 44 })
  })

  test('behavior: it adds a proof to an earlier export', async () => {
    using out = createOut()
    await exportFrom(chain, out.path)
    expect(await exportProven(chain, out.path)).toMatchObject({ rows: 43, new_rows: 0 })
    expect((await checkProven(chain, proofPath(out.path))).dataSet).toMatchObject({ rows: 43 })
  })

  test('behavior: --check compares the proof with the manifest, too', async () => {
    using out = createOut()
    await exportProven(chain, out.path)
    const check = () => checkExport({ folder: out.path, progress: () => {} })
    appendFileSync(proofPath(out.path), '\n')
    expect(await check()).toMatchObject({ changed: ['_proofs.jsonl'], missing: [], extra: [] })
    rmSync(proofPath(out.path))
    expect(await check()).toMatchObject({ changed: [], missing: ['_proofs.jsonl'], extra: [] })
  })

  test('error: a run without the proof, which would leave an old one', async () => {
    using out = createOut()
    await exportProven(chain, out.path)
    const error = await errorOf(exportFrom(chain, out.path))
    expect(error.code).toBe('data_set')
    expect(error.message).toContain('was exported with --proofs, not without them')
  })

  test('error: an export of some feeds, or since another one, cannot be proven complete', async () => {
    using out = createOut()
    using whole = createOut()
    using newer = createOut()
    await exportFrom(chain, out.path, { feeds: [testFeedId(0)] })
    expect((await errorOf(exportProven(chain, out.path))).message).toContain('all feeds')
    await exportFrom(chain, whole.path)
    await exportFrom(chain, newer.path, { since: join(whole.path, '_manifest.json') })
    expect((await errorOf(exportProven(chain, newer.path))).message).toContain('all values')
  })

  test('error: the data set is of another chain', async () => {
    using out = createOut()
    await exportProven(chain, out.path)
    const other = await createRegistryChain({ feeds: 4, startMs: 1_750_000_000_000 })
    expect((await errorOf(exportProven(other, out.path))).code).toBe('export_chain')
  })
})

describe('an interrupted export', () => {
  const flushBytes = 8_000

  test('behavior: killed at any operation, it resumes at the same block', async () => {
    using whole = createOut()
    const chain = await createChain()
    await exportProven(chain, whole.path)
    const expected = readFileSync(proofPath(whole.path))
    const root = chain.stateRootHash()
    for (let operations = 4; ; operations++) {
      using out = createOut()
      const run = (changes = {}) => exportProven(chain, out.path, { flushBytes, rowsPerFile: 7, ...changes })
      const killed = await run({ files: diskUntil(operations) }).then(
        () => false,
        ({ message }: Error) => message === 'killed',
      )
      if (!killed) break
      const pinned = existsSync(partialPath(out.path)) ? statSync(partialPath(out.path)).size : 0
      const isCommitted = existsSync(join(out.path, '_manifest.json'))
      const calls = createCallCounter(chain.answer)
      const report = await run({ answer: calls.answer })
      expect(report.state_root_hash).toBe(root)
      expect(readFileSync(proofPath(out.path)).equals(expected)).toBeTrue()
      expect(existsSync(join(out.path, '.proofs'))).toBeFalse()
      expect(existsSync(join(out.path, '.export'))).toBeFalse()
      if (pinned === expected.length && !isCommitted) expect(calls.total()).toBeLessThan(5)
      expect((await checkProven(chain, proofPath(out.path))).dataSet).toMatchObject({ rows: 43 })
    }
  })

  test('behavior: a new value does not move the block of an interrupted run', async () => {
    using out = createOut()
    const chain = await createChain()
    const root = chain.stateRootHash()
    const killed = exportProven(chain, out.path, { files: diskUntil(6), flushBytes })
    await expect(killed).rejects.toThrow('killed')
    chain.attest(testFeedId(0), { amount: 9n })
    await chain.advance()
    expect(await exportProven(chain, out.path)).toMatchObject({ rows: 43, state_root_hash: root })
    expect(await exportProven(chain, out.path)).toMatchObject({ rows: 44, new_rows: 1 })
    expect((await checkProven(chain, proofPath(out.path))).dataSet).toMatchObject({ rows: 44 })
  })

  test('behavior: whatever a crash left at the end of the proof, the next run completes the same file', async () => {
    using whole = createOut()
    await exportProven(chain, whole.path)
    const expected = readFileSync(proofPath(whole.path))
    const random = createRandom(5)
    const headerEnd = expected.indexOf('\n"') + 1
    for (let round = 0; round < 25; round++) {
      using out = createOut()
      const killed = exportProven(chain, out.path, { files: diskUntil(6), flushBytes })
      await expect(killed).rejects.toThrow('killed')
      await Bun.write(partialPath(out.path), expected)
      truncateSync(partialPath(out.path), headerEnd + Math.floor(random() * (expected.length - headerEnd)))
      if (round % 3 === 1) appendFileSync(partialPath(out.path), '\0\0\0\n\0')
      if (round % 3 === 2) appendFileSync(partialPath(out.path), '"AAAA"\n{"a":1}\n')
      await exportProven(chain, out.path, { flushBytes })
      expect(readFileSync(proofPath(out.path)).equals(expected)).toBeTrue()
    }
  })

  test('behavior: another trusted block, a broken start or a missing file begins a new proof', async () => {
    using out = createOut()
    const run = (changes = {}) =>
      exportProven(chain, out.path, { files: diskUntil(6), flushBytes, ...changes })
    const begun = async (changes = {}): Promise<boolean> => {
      const lines: string[] = []
      await run({ milestone: (line: string) => lines.push(line), ...changes }).catch(() => {})
      return !lines.some((line) => line.startsWith('resumes'))
    }
    expect(await begun()).toBeTrue()
    expect(await begun()).toBeFalse()
    expect(await begun({ trustedBlockHash: undefined })).toBeTrue()
    expect(await begun({ trustedBlockHash: undefined })).toBeFalse()
    await Bun.write(partialPath(out.path), '{"kind":"wattfeed data set proof"')
    expect(await begun({ trustedBlockHash: undefined })).toBeTrue()
    // A crash while the folder is removed may leave any of its files.
    rmSync(partialPath(out.path))
    expect(await begun({ trustedBlockHash: undefined })).toBeTrue()
    expect(existsSync(partialPath(out.path))).toBeTrue()
  })
})
