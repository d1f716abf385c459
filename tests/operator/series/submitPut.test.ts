import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createMemoryStore } from '@wattfeed/casper/testing/memoryStore'
import { getExecution } from '@wattfeed/casper-devnet/testing/sender'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { type ContractProof, createContractProof } from 'wattfeed/series'
import { type WrittenSnapshot, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { readBoardState } from '../../../src/operator/series/boardState.ts'
import { createPutCall, type PutCall, submitPut } from '../../../src/operator/series/submitPut.ts'
import { inventLeaves, ROUTE } from '../../server/series/inventedDataset.ts'
import { type BoardWorld, createBoardWorld, documentOf } from './boardWorld.ts'

const PAYMENT = 2_500_000_000n
const pinned = { unit: '$/BBL', decimals: 2 }
const wti = {
  ...{ route: ROUTE, frequency: 'weekly', column: 'value' },
  facets: { area: 'NUS', product: 'EPCWTI' },
}

/** A series whose value is negative. */
const below = { area: 'NUS', product: 'EPM0' }

let folder: Folder
const snapshots: WrittenSnapshot[] = []

beforeAll(async () => {
  folder = createFolder()
  for (const weeks of [3, 4]) {
    const leaves = inventLeaves([null, 'EPCBRENT', 'EPCWTI'], weeks)
    const loss = { ...wti, facets: below, period: '2026-01-09', value: '-1.5', unit: '$/BBL' }
    snapshots.push(await writeSnapshot(folder.path, [...leaves, loss]))
  }
})

afterAll(() => folder[Symbol.dispose]())

/** The proof of a period by a root, oldest first; null for the newest value. */
async function proofOf(at: number, period: string | null, facets = wti.facets): Promise<ContractProof> {
  const written = snapshots[at]
  if (written === undefined) throw new Error(`no snapshot ${at}`)
  return createContractProof(await documentOf(written.snapshot, { ...wti, facets, period }))
}

/** A board, and the first root. */
async function start() {
  const first = snapshots[0]
  if (first === undefined) throw new Error('no snapshot')
  const world = await createBoardWorld([first.manifest])
  const call = (proof: ContractProof, changes = {}) =>
    createPutCall(proof, { board: world.board, paymentMotes: PAYMENT, ...pinned, ...changes })
  return { world, call, put: (of: PutCall, changes = {}) => submitPut(of, { ...payerOf(world), ...changes }) }
}

/** An account that is no attester pays. */
function payerOf({ rpc, bob, devnet, tick }: BoardWorld) {
  return {
    ...{ rpc, signer: bob, chainName: devnet.chainName, store: createMemoryStore(), pollMs: 1 },
    wait: async () => {},
    now: () => tick(),
  }
}

const attestSecond = async (world: BoardWorld): Promise<void> => {
  const second = snapshots[1]
  if (second !== undefined) await world.attestRoot(second.manifest)
}

describe('submitPut', () => {
  test('default: the board keeps the value of a period, and the newest value, with their facts', async () => {
    const { world, call, put } = await start()
    await using _ = world
    for (const [facets, period, expected, value] of [
      [wti.facets, '2026-01-09', '2026-01-09', 210n],
      [wti.facets, null, '2026-01-16', 220n],
      [below, '2026-01-09', '2026-01-09', -150n],
    ] as const) {
      const of = call(await proofOf(0, period, facets))
      const outcome = await put(of)
      expect(outcome).toMatchObject({ state: 'executed', pending: { payment_motes: String(PAYMENT) } })
      const { newest, kept } = await readBoardState(world.rpc, of)
      expect(kept).toEqual({
        ...{ period: expected, value, decimals: 2 },
        root: snapshots[0]?.manifest.root ?? '',
        attester: world.owner.accountHash,
        rootTimestamp: newest?.timestamp ?? 0,
        timestamp: expect.any(Number),
      })
      expect(kept?.timestamp).toBeGreaterThan(newest?.timestamp ?? 0)
    }
  })

  test('behavior: what the board has by the newest root is not sent again; after a new root, it is', async () => {
    const { world, call, put } = await start()
    await using _ = world
    const of = call(await proofOf(0, '2026-01-09'))
    expect((await put(of)).state).toBe('executed')
    expect(await put(of)).toEqual({ state: 'done' })
    await attestSecond(world)
    const again = call(await proofOf(1, '2026-01-09'))
    expect((await put(again)).state).toBe('executed')
    expect((await readBoardState(world.rpc, again)).kept?.root).toBe(snapshots[1]?.manifest.root ?? '')
  })

  test('behavior: a dry run sends nothing, and says what it would pay', async () => {
    const { world, call, put } = await start()
    await using _ = world
    const of = call(await proofOf(0, '2026-01-09'))
    expect(await put(of, { isDryRun: true })).toEqual({ state: 'planned', paymentMotes: PAYMENT })
    expect((await readBoardState(world.rpc, of)).kept).toBeNull()
  })

  test('behavior: the call has the size and the lane that were announced', async () => {
    const { world, call, put } = await start()
    await using _ = world
    const of = call(await proofOf(0, '2026-01-09'))
    expect(of.lane).toMatchObject({ maxArgumentBytes: 512, transactionsPerBlock: 40 })
    const outcome = await put(of)
    if (outcome.state !== 'executed') throw new Error(outcome.state)
    const { consumedMotes } = await getExecution(world.devnet.call, outcome.pending.transaction_hash)
    expect(consumedMotes).toBeLessThan(PAYMENT)
    // With other facts of a large tree, the second lane.
    const proof = await proofOf(0, '2026-01-09')
    const large = { ...proof, bytes: new Uint8Array([...proof.bytes, ...new Uint8Array(17 * 32)]) }
    expect(call(large).lane).toMatchObject({ maxArgumentBytes: 1_024, transactionsPerBlock: 2 })
  })

  test('error: another root, or none, is named before anything is sent', async () => {
    const { world, call, put } = await start()
    await using _ = world
    const of = call(await proofOf(0, '2026-01-09'))
    await attestSecond(world)
    for (const isDryRun of [true, false])
      expect(await errorOf(put(of, { isDryRun }))).toMatchObject({
        ...{ code: 'board', reason: 'other_root' },
        message: expect.stringContaining(`the board reads ${snapshots[1]?.manifest.root}`),
      })
    const first = snapshots[0]?.manifest
    for (const other of [{ root: 'ab'.repeat(32) }, { size: 1 + (first?.size ?? 0) }]) {
      if (first !== undefined) await world.attestRoot({ ...first, ...other })
      expect(await errorOf(put(of))).toMatchObject({ reason: 'other_root' })
    }
    const elsewhere = { ...of, series: { ...of.series, route: 'coal' } }
    expect(await errorOf(put(elsewhere))).toMatchObject({ code: 'board', reason: 'no_root' })
  })

  test('error: a package that is no board', async () => {
    const { world, call, put } = await start()
    await using _ = world
    const proof = await proofOf(0, '2026-01-09')
    for (const board of [world.packages.FeedRegistry, '12'.repeat(32)])
      expect(await errorOf(put(call(proof, { board })))).toMatchObject({ code: 'package_not_found' })
  })
})

describe('createPutCall', () => {
  const board = '12'.repeat(32)
  const refusalOf = async (value: string | null, changes = {}): Promise<unknown> => {
    const proof = { ...(await proofOf(0, '2026-01-09')), value }
    try {
      createPutCall(proof, { board, paymentMotes: PAYMENT, ...pinned, ...changes })
      return null
    } catch (error) {
      return error
    }
  }

  test('error: what is no number at the pinned decimals', async () => {
    for (const value of [null, 'w', '2.105'])
      expect([value, await refusalOf(value)]).toEqual([
        value,
        expect.objectContaining({ code: 'board', reason: 'no_number' }),
      ])
  })

  test('error: another unit than the pinned one', async () => {
    expect(await refusalOf('2.10', { unit: null })).toMatchObject({ code: 'board', reason: 'other_unit' })
  })

  test('error: a payment that no lane takes', async () => {
    expect(await refusalOf('2.10', { paymentMotes: 1n })).toMatchObject({ code: 'no_lane' })
  })
})
