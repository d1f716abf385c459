import { beforeAll, describe, expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import { clBytes, countArgumentBytes } from '@wattfeed/casper/types'
import {
  DatasetError,
  datasetFeedId,
  findSeries,
  type Leaf,
  type SeriesQuery,
  type Snapshot,
} from '@wattfeed/dataset'
import { createFolder } from '@wattfeed/testing/folder'
import { ContractProofError, createContractProof, NoLaneError } from 'wattfeed/series'
import { datasetFeed, rootOf, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'

const price = 'cents per kilowatt-hour'

const series = (stateid: string) => ({
  ...{ route: 'electricity/retail-sales', frequency: 'monthly', column: 'price' },
  facets: { sectorid: 'COM', stateid },
})

/** A series for each state, each with its months. */
const leaves: readonly Leaf[] = ['AK', 'CA', 'NY', 'US'].flatMap((state) =>
  ['2026-06', '2026-07', '2026-08'].map((period) => ({
    ...{ ...series(state), period, value: state === 'NY' ? 'w' : '17.4', unit: price },
  })),
)

let documentOf: (query: SeriesQuery) => Promise<Record<string, unknown>>
let root = ''
/** The hashes beside each leaf, and beside each and the next one. */
const beside: { alone: string; both: string }[] = []

beforeAll(async () => {
  using folder = createFolder('in memory')
  const { manifest, snapshot } = await writeSnapshot(folder.path, leaves)
  root = manifest.root
  const known = await readAll(snapshot)
  const hashes = async (first: number, past: number) =>
    (await snapshot.proveRun({ first, past })).hashes.map((hash) => hash.toHex()).join('')
  for (let at = 0; at < manifest.size; at++)
    beside.push({
      alone: await hashes(at, at + 1),
      both: await hashes(at, Math.min(at + 2, manifest.size)),
    })
  const reading = {
    ...{
      ...datasetFeed(manifest),
      ...rootOf(manifest),
      feed_id: datasetFeedId(manifest.route, manifest.frequency),
    },
    amount: String(manifest.size),
  }
  // The proof of the root is not checked, so it has the form of one alone.
  const block = { header: {}, hash: '', proofs: [] }
  const registries = { chain_name: '', feed_registry_package_hash: '', attestation_registry_package_hash: '' }
  const proofOfRoot = { format: 2, reading, count: 1, registries, items: [], block, switch_blocks: [] }
  documentOf = async (query) => {
    const { statement, leaves: found } = await findSeries(known, query)
    return { format: 1, series: query, statement, leaves: found, root: proofOfRoot }
  }
})

/** A snapshot whose files may go. */
async function readAll(snapshot: Snapshot): Promise<Snapshot> {
  const size = snapshot.manifest.size
  const proven = await Promise.all(Array.from({ length: size }, (_, at) => snapshot.prove(at)))
  const read = await Promise.all(Array.from({ length: size }, (_, at) => snapshot.leafAt(at)))
  await snapshot.countBefore(new Uint8Array())
  return {
    ...snapshot,
    leafAt: async (at) => read[at] ?? Promise.reject(new RangeError(`${at}`)),
    prove: async (at) => proven[at] ?? Promise.reject(new RangeError(`${at}`)),
  }
}

describe('createContractProof', () => {
  test('default: the value of a period, in the first lane', async () => {
    const document = await documentOf({ ...series('CA'), period: '2026-08' })
    const { bytes, arguments: args, ...facts } = createContractProof(document)
    // Kind, index, period, value, and that the unit is the pinned one.
    const head = Buffer.from([
      1,
      5,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      7,
      ...Buffer.from('2026-08'),
      4,
      ...Buffer.from('17.4'),
      0,
    ])
    expect(Buffer.from(bytes).subarray(0, head.length)).toEqual(head)
    // A tree of twelve leaves: three hashes below eight leaves, and one beside them.
    expect(bytes.length - head.length).toBe(4 * 32)
    expect(args).toEqual([['proof', { cl_type: { List: 'U8' }, bytes: clBytes(bytes).bytes.toHex() }]])
    expect(facts).toEqual({
      series: series('CA'),
      statement: 'value_of',
      period: '2026-08',
      value: '17.4',
      unit: price,
      root,
      size: 12,
      argumentBytes: countArgumentBytes({ proof: clBytes(bytes) }),
      lane: {
        maxPaymentMotes: 5_000_000_000n,
        maxArgumentBytes: 512,
        maxTransactionBytes: 65_536,
        transactionsPerBlock: 40,
      },
      paymentMotes: 2_500_000_000n,
    })
  })

  test('default: the newest value comes with the next leaf, without what the pin knows', async () => {
    const created = createContractProof(await documentOf({ ...series('CA'), period: null }))
    expect([created.statement, created.period]).toEqual(['newest_value', '2026-08'])
    const { length } = createContractProof(await documentOf({ ...series('CA'), period: '2026-08' })).bytes
    // Two numbers of elements, the two that are not shared, the value, and that the unit is the pinned one.
    const next = 2 + 1 + 'NY'.length + 1 + '2026-06'.length + 1 + 'w'.length + 1
    expect(created.bytes.length).toBe(length + next)
  })

  test('behavior: the last leaf of the tree needs no next one; a withheld value has a proof, too', async () => {
    const last = createContractProof(await documentOf({ ...series('US'), period: null }))
    expect([last.statement, last.bytes[0]]).toEqual(['newest_value', 1])
    expect(createContractProof(await documentOf({ ...series('NY'), period: '2026-08' })).value).toBe('w')
  })

  test('behavior: the proof of the newest value can be that of its period, and of the dataset’s newest period', async () => {
    const document = await documentOf({ ...series('CA'), period: null })
    const alone = createContractProof(await documentOf({ ...series('CA'), period: '2026-08' })).bytes
    for (const statement of ['value_of', 'newest_period'] as const)
      expect(createContractProof(document, { statement }).bytes).toEqual(alone)
  })

  test('behavior: the hashes are those beside the leaves, from left to right', async () => {
    for (const [at, { facets, period, ...key }] of leaves.entries()) {
      const alone = createContractProof(await documentOf({ ...key, facets, period }))
      expect(alone.bytes.toHex()).toEndWith(beside[at]?.alone ?? 'none')
      if (period !== '2026-08') continue
      const newest = createContractProof(await documentOf({ ...key, facets, period: null }))
      expect(newest.bytes.toHex()).toEndWith(beside[at]?.both ?? 'none')
    }
  })

  test('behavior: a unit that the contract does not pin travels', async () => {
    const document = await documentOf({ ...series('CA'), period: '2026-08' })
    const { length } = createContractProof(document).bytes
    for (const unit of [null, '$/kWh'])
      expect(createContractProof(document, { unit }).bytes.length).toBe(length + 1 + price.length)
  })

  test('behavior: the lane depends on all arguments, the payment and the protocol', async () => {
    const document = await documentOf({ ...series('CA'), period: '2026-08' })
    const { argumentBytes } = createContractProof(document)
    const lane = (options: Parameters<typeof createContractProof>[1]) =>
      createContractProof(document, options).lane.transactionsPerBlock
    expect(lane({ otherArgumentBytes: 512 - argumentBytes })).toBe(40)
    expect(lane({ otherArgumentBytes: 513 - argumentBytes })).toBe(2)
    expect(lane({ argument: 'a'.repeat(5 + 513 - argumentBytes) })).toBe(2)
    expect(lane({ paymentMotes: 5_000_000_001n })).toBe(2)
    expect(lane({ otherArgumentBytes: 1_024 })).toBe(1)
    expect(() => lane({ otherArgumentBytes: 1_024, protocolVersion: '2.0.3' })).toThrow(NoLaneError)
    expect(() => lane({ paymentMotes: 1n })).toThrow(NoLaneError)
  })

  test('error: an absence, another statement, and a period that is not the newest', async () => {
    for (const period of ['2026-09', null])
      expect(await rule({ ...series(period === null ? 'TX' : 'CA'), period })).toContain('an absence')
    const older = { ...series('CA'), period: '2026-07' }
    expect(await rule(older, { statement: 'newest_value' })).toContain('next leaf')
    expect(await rule(older, { statement: 'newest_period' })).toContain('202608')
  })

  test('error: a document with a wrong path, about another series, or of another form', async () => {
    const document = await documentOf({ ...series('CA'), period: '2026-08' })
    const [leaf] = document.leaves as [{ path: string[] }]
    const path = leaf.path.toReversed()
    expect(() => createContractProof({ ...document, leaves: [{ ...leaf, path }] })).toThrow(DatasetError)
    const other = { ...document, series: { ...series('NY'), period: '2026-08' } }
    expect(() => createContractProof(other)).toThrow(DatasetError)
    for (const wrong of [null, {}, { ...document, root: {} }, { ...document, format: 2 }])
      expect(() => createContractProof(wrong)).toThrow(DecodeError)
  })
})

/** The rule of the error. */
async function rule(
  query: SeriesQuery,
  options: Parameters<typeof createContractProof>[1] = {},
): Promise<string> {
  const document = await documentOf(query)
  try {
    createContractProof(document, options)
  } catch (error) {
    if (error instanceof ContractProofError) return error.rule
    throw error
  }
  return 'none'
}
