import { describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { errorOf } from '@wattfeed/testing/errorOf'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { checkExport, isAsWritten } from '../../../src/operator/export/checkExport.ts'
import { type FileStep, killedAt } from '../../support/killedRun.ts'
import { createOut, exportFrom, filesOf, manifestOf, modelTable, readTable } from '../export/exported.ts'
import { checkProven, exportProven, proofPath } from './provenData.ts'

/** Attests values with revisions beside the first three, and registers a feed without a value. */
async function createChain(values = 40): Promise<RegistryChain> {
  const chain = await createRegistryChain({ feeds: 3 })
  for (let index = 0; index < values; index++)
    chain.attest(testFeedId(index % 3), { period: 20_261_001 + (index % 9), amount: BigInt(index) ** 20n })
  chain.register('EMPTY.FEED')
  await chain.advance()
  return chain
}

const chain = await createChain()
/** A copy that a test may change. */
const forkChain = (): RegistryChain => chain.fork()

const partsOf = (out: string): string[] =>
  existsSync(join(out, '.proofs'))
    ? filesOf(join(out, '.proofs')).filter((name) => /^part-\d+$/.test(name))
    : []

/** When the part with this number is written. */
const untilPart =
  (number: number) =>
  ({ operation, path }: FileStep): boolean =>
    operation === 'write' && path.includes(`part-00000${number}.`)

describe('an export with a proof', () => {
  test.each(['parquet', 'csv'] as const)(
    'default: the rows and the proof are of one block (%s)',
    async (format) => {
      using out = createOut()
      const report = await exportProven(chain, out.path, { format, rowsPerFile: 7 })
      expect(report).toMatchObject({ feeds: 4, rows: 43, state_root_hash: chain.stateRootHash() })
      expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
      const proof = readFileSync(proofPath(out.path))
      expect(statSync(proofPath(out.path)).mode & 0o777).toBe(0o666 & ~process.umask())
      const { proofs, feeds } = manifestOf(out.path)
      expect(proofs).toEqual({ bytes: proof.length, sha256: hash('sha256', proof) })
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

  test('behavior: a data set that is soon read has no line for each of its values', async () => {
    using out = createOut()
    const lines: string[] = []
    const note = (line: string) => void lines.push(line)
    await exportProven(chain, out.path, { progress: note, milestone: note })
    expect(lines.filter((line) => line.endsWith('values and events proven'))).toEqual([])
  })

  test('behavior: without a manifest beside it, each link shows what the proof contains, and no rows are compared', async () => {
    using out = createOut()
    using other = createOut()
    await exportProven(chain, out.path)
    await Bun.write(proofPath(other.path), Bun.file(proofPath(out.path)))
    const { dataSet, links } = await checkProven(chain, proofPath(other.path))
    expect(dataSet).toMatchObject({ values: 43, rows: null })
    expect(links.every(({ holds }) => holds)).toBeTrue()
    const afterContracts = links.slice(links.findLastIndex(({ link }) => link.endsWith('contract')) + 1)
    expect(afterContracts.map(({ link, detail }) => `${link}: ${detail}`)).toEqual([
      'FeedRegistry __events_length: 4 events',
      'AttestationRegistry __events_length: 43 events',
      'FeedRegistry count: 4 feeds',
      'FeedRegistry ids: all 4 ids',
      'FeedRegistry feeds: the metadata of 4 feeds',
      'AttestationRegistry count: 43 values of 4 feeds',
      'AttestationRegistry history: all 43 values',
      'FeedRegistry __events: all 4 events',
      'AttestationRegistry __events: all 43 events',
      'feeds without a value: 1 feeds, because the counts of the others add up to 43',
      expect.stringMatching(/^end of the file: \d+ elements$/),
      'manifest: none beside the proof, so no rows are compared',
    ])
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
    const chain = forkChain()
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

describe('an export with a proof that is killed', () => {
  const partBytes = 8_000

  test('behavior: at any step, it resumes at the same block, and reads nothing again', async () => {
    using whole = createOut()
    // Few values in small files and parts, because each step takes two exports.
    const chain = await createChain(12)
    const calls = createCallCounter(chain.answer)
    await exportProven(chain, whole.path, { answer: calls.answer })
    const wholeCalls = calls.total()
    const expected = readFileSync(proofPath(whole.path))
    const root = chain.stateRootHash()
    let isKilled = true
    let kills = 0
    for (let step = 0; isKilled; step++) {
      using out = createOut()
      const run = (changes = {}) =>
        exportProven(chain, out.path, { partBytes: 6_000, rowsPerFile: 7, ...changes })
      isKilled = await killedAt(({ number }) => number === step, run)
      if (isKilled) kills++
      const parts = partsOf(out.path)
      const isProven = existsSync(join(out.path, '.proofs/_proofs.jsonl'))
      const isCommitted = existsSync(join(out.path, '_manifest.json'))
      calls.reset()
      const report = await run({ answer: calls.answer })
      expect(report.state_root_hash).toBe(root)
      expect(readFileSync(proofPath(out.path)).equals(expected)).toBeTrue()
      expect(readdirSync(out.path).filter((name) => name.startsWith('.'))).toEqual([])
      // The first part is the blocks, and each further one has several values.
      if (!isCommitted && parts.length > 1)
        expect(calls.total()).toBeLessThan(wholeCalls - 3 * (parts.length - 1))
      if (!isCommitted && isProven) expect(calls.total()).toBeLessThan(5)
      expect((await checkProven(chain, proofPath(out.path))).dataSet).toMatchObject({ rows: 15 })
    }
    expect(kills).toBeGreaterThan(40)
  })

  test('behavior: a new value does not move its block', async () => {
    using out = createOut()
    const chain = forkChain()
    const root = chain.stateRootHash()
    expect(await killedAt(untilPart(3), () => exportProven(chain, out.path, { partBytes }))).toBeTrue()
    chain.attest(testFeedId(0), { amount: 9n })
    await chain.advance()
    expect(await exportProven(chain, out.path)).toMatchObject({ rows: 43, state_root_hash: root })
    expect(await exportProven(chain, out.path)).toMatchObject({ rows: 44, new_rows: 1 })
    expect((await checkProven(chain, proofPath(out.path))).dataSet).toMatchObject({ rows: 44 })
  })

  test('behavior: a proof whose manifest is in place follows before a node is asked', async () => {
    using out = createOut()
    const isPlaced = ({ operation, path }: FileStep): boolean =>
      operation === 'rename' && path.endsWith('.proofs/_proofs.jsonl')
    expect(await killedAt(isPlaced, () => exportProven(chain, out.path))).toBeTrue()
    const check = () => checkExport({ folder: out.path, progress: () => {} })
    expect(await check()).toMatchObject({ missing: ['_proofs.jsonl'] })
    const answer = () => ({ error: { code: -32000, message: 'out of order' } })
    await errorOf(exportProven(chain, out.path, { answer }))
    expect(isAsWritten(await check())).toBeTrue()
  })

  test('behavior: a part that was cut off is not taken for one', async () => {
    using whole = createOut()
    await exportProven(chain, whole.path)
    const expected = readFileSync(proofPath(whole.path))
    using out = createOut()
    const run = () => exportProven(chain, out.path, { partBytes })
    await killedAt(untilPart(3), run)
    const torn = filesOf(join(out.path, '.proofs')).filter((name) => name.endsWith('.new'))
    expect(torn).toHaveLength(1)
    expect(partsOf(out.path)).toHaveLength(3)
    await run()
    expect(readFileSync(proofPath(out.path)).equals(expected)).toBeTrue()
  })

  test('behavior: another trusted block, a broken start or a missing part begins a new proof', async () => {
    using out = createOut()
    const begun = async (changes = {}): Promise<boolean> => {
      const lines: string[] = []
      const milestone = (line: string) => lines.push(line)
      const number = partsOf(out.path).length + 1
      await killedAt(untilPart(number), () =>
        exportProven(chain, out.path, { partBytes, milestone, ...changes }),
      )
      return !lines.some((line) => line.startsWith('resumes'))
    }
    const first = join(out.path, '.proofs/part-000000')
    const older = { trustedBlockHash: undefined }
    expect(await begun()).toBeTrue()
    expect(await begun()).toBeFalse()
    expect(await begun(older)).toBeTrue()
    expect(await begun(older)).toBeFalse()
    await Bun.write(first, '{"kind":"wattfeed data set proof"')
    expect(await begun(older)).toBeTrue()
    // A crash while the folder is removed may leave any of its files.
    rmSync(first)
    expect(await begun(older)).toBeTrue()
    rmSync(join(out.path, '.proofs/purpose'))
    expect(await begun(older)).toBeTrue()
    expect(existsSync(first)).toBeTrue()
  })
})
