import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { VerificationError } from '@wattfeed/casper/light-client'
import { type AnswerRpc, queryFailed } from '@wattfeed/casper-devnet'
import type { Faults } from '@wattfeed/casper-devnet/testing/chainFaults/faults'
import { errorOf } from '@wattfeed/testing/errorOf'
import { flipLast } from '@wattfeed/testing/flipLast'
import {
  AllNodesFailedError,
  type Client,
  type ClientOptions,
  MerkleProofError,
  type WattfeedError,
} from 'wattfeed'
import { createVerifiedWorld, type VerifiedWorld } from '../support/verifiedWorld.ts'
import { BRENT, PERIOD, SOURCE_HASH, WTI, wtiFeed } from '../support/world.ts'

const levels = ['proofs', 'full'] as const

/** A fault of the first of three nodes, the value that a client reads beside it, and what it rejects. */
type SpoiledNode = [
  name: string,
  spoil: (faults: Faults, world: VerifiedWorld) => void,
  expected: bigint,
  rejected: string[],
  options?: ClientOptions,
]

/** Limit for a node that says nothing. What another node answers later than that on a busy machine is asked for again. */
const impatient = { timeoutMs: 300 }

/** What went wrong at the first node; a call on the way may have failed within. */
function firstFailure(error: Error): Error {
  let first = error
  while (first instanceof AllNodesFailedError) first = first.failures[0]?.error ?? new Error('no failure')
  return first
}

const failureOf = async (read: Promise<unknown>): Promise<[WattfeedError, Error]> => {
  const error = await errorOf(read)
  return [error, firstFailure(error)]
}

const amountOf = async (client: Client, feedId = WTI): Promise<bigint | null> =>
  (await client.getReading(feedId))?.amount ?? null

/** Changes a node's answers to some calls. */
const changing =
  (answer: AnswerRpc, change: (method: string, params: unknown, result: unknown) => unknown): AnswerRpc =>
  async (method, params) => {
    const answered = await answer(method, params)
    return 'result' in answered ? { result: change(method, params, answered.result) } : answered
  }

/** The block in an answer to `chain_get_block`. */
const blockIn = (result: unknown) => Object(result).block_with_signatures

describe.each(levels)('a client that verifies: %s', (verify) => {
  afterEach(() => {
    setSystemTime()
  })

  test('default: the reading, and its verification', async () => {
    setSystemTime(new Date())
    await using world = await createVerifiedWorld()
    const client = world.client([0], { verify })
    const { verification } = await client.snapshot()
    const tip = world.world.devnet.produceBlock()
    expect(await client.getReading(WTI)).toEqual({
      feed_id: WTI,
      ...wtiFeed,
      value: 59.91,
      amount: 59_910_000n,
      period: PERIOD,
      source_hash: SOURCE_HASH,
      updated_at: expect.any(Number),
    })
    expect(verification).toEqual({
      level: verify,
      blockHeight: tip.height - 1,
      blockHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      eraId: Math.ceil((tip.height - 1) / 20),
      weightSigned: expect.any(BigInt),
      weightTotal: expect.any(BigInt),
      blockTimestamp: tip.timestampMs - 1,
      ageMs: Math.max(0, Date.now() - (tip.timestampMs - 1)),
    })
    if (verification === null) throw new Error('it is verified')
    const { weightSigned, weightTotal } = verification
    // The heaviest two of 3 : 4 : 5, which is the minimum.
    expect(Number(weightSigned) / Number(weightTotal)).toBeCloseTo(9 / 12, 3)
    expect((await client.snapshot()).verification?.blockHash).toBe(tip.hash)
    expect(client.rejected()).toEqual([])
  })

  test('behavior: all other reads', async () => {
    await using world = await createVerifiedWorld()
    const client = world.client([0, 1], { verify })
    const plain = world.client([0], { verify: 'off' })
    const readAll = async (at: Client): Promise<unknown[]> =>
      Promise.all([
        at.listReadings(),
        at.listFeedIds(),
        at.getFeed(BRENT),
        at.getValue(BRENT),
        at.getValueHistory(BRENT),
        at.getClaimant(BRENT),
        at.getFirstPartyAttester(),
        at.feedCount(),
        at.feedIdAt(1),
        at.totalAttestations(),
      ])
    const read = await readAll(client)
    expect(read).toEqual(await readAll(plain))
    expect(read.slice(-3)).toEqual([2, BRENT, 2])
    await world.world.attest(world.world.owner, BRENT, 5n)
    expect((await client.listReadings()).map(({ amount }) => amount)).toEqual([59_910_000n, 5n])
    expect([await client.getReading('no such feed'), client.rejected()]).toEqual([null, []])
  })

  const [before, after] = [59_910_000n, 1n]
  // A head that is not final yet, and an older one of a node that lags, are no lies: what was shown stays.
  const faults: SpoiledNode[] = [
    ['lies about every value', (node) => node.lie(), after, ['node0 merkle_proof']],
    [
      'lies about its contracts',
      (node, { network }) => node.lie({ keys: [`hash-${network.feedRegistryPackageHash}`] }),
      after,
      [],
    ],
    ['refuses every call', (node) => node.refuse(), after, []],
    ['refuses reads', (node) => node.refuse({ methods: ['state_get_dictionary_item'] }), after, []],
    ['breaks connections', (node) => node.drop('request'), after, []],
    ['breaks connections once it has answered', (node) => node.drop('answer'), after, []],
    ['answers in another order', (node) => node.reorder(2), after, [], impatient],
    ['answers too late', (node) => node.delay(60_000), after, [], impatient],
    // Where validators are not trusted, another node is asked at once, else by the next read.
    verify === 'full'
      ? ['lags behind', (node) => node.lag(1_000), before, ['node0 stale_node']]
      : ['lags behind', (node) => node.lag(1_000), after, []],
    ['has no signatures of new blocks', (node) => node.stopFinality(), before, []],
  ]
  test.each(faults)(
    'behavior: a node %s: the right value is returned',
    async (_, spoil, expected, rejected, options = {}) => {
      await using world = await createVerifiedWorld()
      const { owner } = world.world
      const client = world.client([0, 1, 2], { verify, ...options })
      expect(await amountOf(client)).toBe(before)
      spoil(world.nodes[0]?.faults as Faults, world)
      await world.world.attest(owner, WTI, after)
      world.world.devnet.produceBlock()
      expect(await amountOf(client)).toBe(expected)
      expect(new Set(client.rejected())).toEqual(new Set(rejected))
      expect(await amountOf(world.client([1, 2], { verify }))).toBe(after)
      world.nodes[0]?.faults.clear()
      expect(await amountOf(world.client([0], { verify }))).toBe(after)
    },
  )

  test('error: a single lying node: an error, neither "not found" nor the lie', async () => {
    await using world = await createVerifiedWorld()
    world.nodes[0]?.faults.lie()
    const client = world.client([0], { verify })
    const { getReading, getValue, getFeed, listReadings } = client
    for (const read of [getReading, getValue, getFeed, () => listReadings()]) {
      const [error, first] = await failureOf(read(WTI))
      expect([error.code, error.retryable]).toEqual(['all_nodes_failed', true])
      expect(first).toBeInstanceOf(MerkleProofError)
    }
    expect(new Set(client.rejected())).toEqual(new Set(['node0 merkle_proof']))
  })

  test('error: every node lies', async () => {
    await using world = await createVerifiedWorld()
    for (const { faults } of world.nodes) faults.lie()
    const client = world.client([0, 1, 2], { verify })
    const [error, first] = await failureOf(client.getReading(WTI))
    expect([error.code, first.name]).toEqual(['all_nodes_failed', 'MerkleProofError'])
    expect(new Set(client.rejected())).toEqual(
      new Set(['node0 merkle_proof', 'node1 merkle_proof', 'node2 merkle_proof']),
    )
  })

  test('behavior: the look-up of a package is proven too', async () => {
    await using world = await createVerifiedWorld()
    const { feedRegistryPackageHash: packageHash } = world.network
    const other = `hash-${world.network.attestationRegistryPackageHash}`
    // The complete answer for another package, with its proof: both are valid.
    const swapped: AnswerRpc = (method, params) =>
      world.world.devnet.call(
        method,
        Object(params).key === `hash-${packageHash}` ? { ...Object(params), key: other } : params,
      )
    const url = await world.serve(swapped)
    const rejected: string[] = []
    const observe = { rejected: ({ errorCode }: { errorCode: string }) => rejected.push(errorCode) }
    const client = world.client([], { verify, rpcUrls: [url, world.nodes[1]?.url ?? ''], observe })
    expect([await amountOf(client), rejected]).toEqual([59_910_000n, ['merkle_proof']])
    const alone = world.client([], { verify, rpcUrls: [url] })
    expect((await failureOf(alone.getReading(WTI)))[1]).toBeInstanceOf(MerkleProofError)
  })

  test('behavior: a node hides a feed: another one shows it, and the hiding is counted', async () => {
    await using world = await createVerifiedWorld()
    const hiding = await world.serve((method, params) =>
      method === 'state_get_dictionary_item' ? queryFailed : world.world.devnet.call(method, params),
    )
    const rejected: string[] = []
    const observe = { rejected: ({ errorCode }: { errorCode: string }) => rejected.push(errorCode) }
    const rpcUrls = [hiding, world.nodes[1]?.url ?? '']
    expect(await amountOf(world.client([], { verify, rpcUrls, observe }))).toBe(59_910_000n)
    expect(new Set(rejected)).toEqual(new Set(['hidden_value']))
  })

  test('error: a head whose header was changed does not hash to its name', async () => {
    await using world = await createVerifiedWorld()
    const url = await world.serve(
      changing(world.world.devnet.call, (_, __, result) => {
        const { Version2 } = blockIn(result)?.block ?? {}
        if (Version2) Version2.header.state_root_hash = 'ab'.repeat(32)
        return result
      }),
    )
    const [, first] = await failureOf(
      world.client([], { verify, rpcUrls: [url], deadlineMs: 2_000 }).snapshot(),
    )
    expect(first.message).toContain('its header does not hash to')
  })

  test('error: signatures that were changed', async () => {
    await using world = await createVerifiedWorld()
    const url = await world.serve(
      changing(world.world.devnet.call, (_, __, result) => {
        for (const proof of blockIn(result)?.proofs ?? []) proof.signature = flipLast(proof.signature)
        return result
      }),
    )
    const [, first] = await failureOf(world.client([], { verify, rpcUrls: [url] }).snapshot())
    expect(first).toBeInstanceOf(VerificationError)
    expect(first).toMatchObject({ link: 'finality signatures' })
  })

  test('error: a chain of another name', async () => {
    await using world = await createVerifiedWorld()
    const url = await world.serve(
      changing(world.world.devnet.call, (method, _, result) =>
        method === 'info_get_status' ? { ...Object(result), chainspec_name: 'casper' } : result,
      ),
    )
    // It claims to be another chain, so that only the signatures decide.
    const [, first] = await failureOf(
      world.client([], { verify, rpcUrls: [url], chainName: 'casper' }).snapshot(),
    )
    expect(first).toMatchObject({ code: 'verification', link: 'finality signatures' })
  })
})

describe('the head', () => {
  /** The same for all tests, so that they share the booted chain. */
  const anHourAgo = Date.now() - 3_600_000

  test('error: a stale block is rejected, and the message has its age', async () => {
    await using world = await createVerifiedWorld({ startMs: anHourAgo })
    const client = world.client([0])
    const [, first] = await failureOf(client.getReading(WTI))
    expect(first).toMatchObject({ code: 'verification', link: 'head age', retryable: true })
    expect(first.message).toMatch(
      /^verification failed: head age: block \d+ is 36\d{5} ms old, more than 300000: /,
    )
    expect(new Set(client.rejected())).toEqual(new Set(['node0 verification']))
    expect(await amountOf(world.client([0], { maxHeadAgeMs: 4_000_000 }))).toBe(59_910_000n)
  })

  test('behavior: a node that hides new blocks is skipped if another one has them', async () => {
    await using world = await createVerifiedWorld({ startMs: anHourAgo })
    const { devnet, tick } = world.world
    const old = devnet.produceBlock().height
    tick(Date.now() - 60_000 - tick())
    devnet.produceBlock()
    world.nodes[0]?.faults.lag(1)
    const client = world.client([0, 1])
    expect((await client.snapshot()).verification?.blockHeight).toBe(old + 1)
    expect(client.rejected()).toEqual(['node0 verification'])
  })

  test('behavior: one that was shown stays the oldest, whatever a node says', async () => {
    await using world = await createVerifiedWorld()
    const client = world.client([0])
    const { blockHeight } = (await client.snapshot()).verification ?? {}
    world.nodes[0]?.faults.lag(10)
    expect((await client.snapshot()).verification?.blockHeight).toBe(blockHeight)
  })

  test('behavior: if new blocks lack signatures, the newest final one is returned', async () => {
    await using world = await createVerifiedWorld()
    world.nodes[0]?.faults.stopFinality()
    const { owner, devnet } = world.world
    const final = devnet.produceBlock().height - 1
    await world.world.attest(owner, WTI, 7n)
    const client = world.client([0])
    expect(await amountOf(client)).toBe(59_910_000n)
    expect((await client.snapshot()).verification?.blockHeight).toBe(final)
    world.nodes[0]?.faults.clear()
    expect(await amountOf(client)).toBe(7n)
    expect(client.rejected()).toEqual([])
  })

  test('error: no final one among the last ones', async () => {
    await using world = await createVerifiedWorld()
    world.nodes[0]?.faults.stopFinality()
    for (let block = 0; block < 12; block++) world.world.devnet.produceBlock()
    const [, first] = await failureOf(world.client([0]).snapshot())
    expect(first).toMatchObject({ code: 'verification', link: 'finality signatures' })
  })
})

describe('the trusted block', () => {
  test('behavior: may be any switch block, in upper case too', async () => {
    await using world = await createVerifiedWorld()
    const { hash } = (await world.blockAt(20)).block.Version2
    const client = world.client([0], { trustedBlockHash: hash.toUpperCase() })
    expect(await amountOf(client)).toBe(59_910_000n)
  })

  test('error: one that no node knows', async () => {
    await using world = await createVerifiedWorld()
    const client = world.client([0, 1], { trustedBlockHash: 'ab'.repeat(32) })
    const [error, first] = await failureOf(client.getReading(WTI))
    expect([error.code, first.message]).toEqual([
      'all_nodes_failed',
      expect.stringContaining(`no node has the block ${'ab'.repeat(32)}; check trustedBlockHash`),
    ])
  })

  test('error: one that ends no era', async () => {
    await using world = await createVerifiedWorld()
    const { hash } = world.world.devnet.produceBlock()
    world.endEras(1)
    const [, first] = await failureOf(world.client([0], { trustedBlockHash: hash }).getReading(WTI))
    expect(first).toMatchObject({ code: 'verification', link: 'switch block' })
  })

  test('error: one of another chain, although its node serves it', async () => {
    await using world = await createVerifiedWorld()
    await using other = await createVerifiedWorld({ startMs: Date.now() - 60_001 })
    const url = await world.serve(async (method, params) => {
      const own = await world.world.devnet.call(method, params)
      return 'result' in own ? own : other.world.devnet.call(method, params)
    })
    const [, first] = await failureOf(
      world.client([], { rpcUrls: [url], trustedBlockHash: other.genesisHash }).getReading(WTI),
    )
    expect(first).toMatchObject({ code: 'verification', link: 'trusted block' })
  })
})
