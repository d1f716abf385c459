import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createGlobalState } from '@wattfeed/casper'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import {
  DecodeError,
  type FeedProofTrust,
  type FeedsProof,
  InvalidArgumentError,
  ProofBusyError,
} from 'wattfeed'
import { createFeedsProof } from '../../../src/client/proof/create/createFeedsProof.ts'
import { createTurns } from '../../../src/client/proof/create/createTurns.ts'
import { verifyFeedProof } from '../../../src/client/verifyFeedProof.ts'
import { changed, leavesOf, without, withValue } from '../../support/jsonLeaves.ts'
import { brokenLink, proofOf, trustIn } from '../../support/provenFeed.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../../support/verifiedWorld.ts'
import { WTI } from '../../support/world.ts'

const ADDED = 'NO.VALUE.YET'

let world: VerifiedWorld
let trust: FeedProofTrust
let earlier: FeedsProof
let proof: FeedsProof

async function feedsProof(from: string | null = world.genesisHash): Promise<FeedsProof> {
  const list = await world.client([0], { verify: 'off' }).getFeedsProof({ from })
  return JSON.parse(JSON.stringify(list))
}

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1 })
  trust = trustIn(world)
  earlier = await feedsProof()
  const { register, owner } = world.world
  expect(await register(owner, ADDED)).toBeNull()
  proof = await feedsProof()
})

afterAll(() => world[Symbol.asyncDispose]())

/** The link that broke, or the number of proven feeds. */
async function outcomeOf(json: unknown, by: Partial<FeedProofTrust> = {}): Promise<string | number> {
  const check = await verifyFeedProof(json, { ...trust, ...by })
  expect(check.reading).toBeNull()
  return check.feeds?.feed_ids.length ?? brokenLink(check) ?? ''
}

describe('the proof of all feeds', () => {
  test('default: it proves every id, at one state root and block', async () => {
    expect(proof.feed_ids).toEqual([...earlier.feed_ids, ADDED])
    expect(proof.feed_count).toBe(proof.feed_ids.length)
    const { feeds, links } = await verifyFeedProof(proof, { ...trust, list: 'feeds' })
    expect(feeds).toEqual({
      feed_ids: await world.client([0]).listFeedIds(),
      block_height: Object(proof.block.header).height,
    })
    expect(links.every(({ holds }) => holds)).toBeTrue()
    expect(links.slice(-2)).toEqual([
      {
        link: `FeedRegistry ids[${proof.feed_count - 1}]`,
        holds: true,
        detail: proof.items.at(-1)?.key ?? '',
      },
      { link: 'list of feeds', holds: true, detail: `all ${proof.feed_count} ids` },
    ])
  })

  test('behavior: an old proof still proves the list of its own block', async () => {
    expect(await outcomeOf(earlier)).toBe(proof.feed_count - 1)
    expect(await outcomeOf(earlier, { maxAgeMs: 1_000, now: () => Number.MAX_SAFE_INTEGER })).toBe('age')
  })

  test('error: there are more feeds than a proof may have', async () => {
    const { devnet } = world.world
    const rpc = createLocalRpc((method, params) =>
      method === 'info_get_status' ? { result: { chainspec_name: 'test' } } : devnet.call(method, params),
    )
    const request = {
      state: createGlobalState(rpc),
      stateRootHash: String(Object(proof.block.header).state_root_hash),
      registries: proof.registries,
      block: proof.block,
      switchBlocks: [],
    }
    const tooFew = proof.feed_count - 1
    expect((await createFeedsProof(request, proof.feed_count)).feed_ids).toEqual(proof.feed_ids)
    await expect(createFeedsProof(request, tooFew)).rejects.toThrow(
      new InvalidArgumentError(
        'feed_count',
        `at most ${tooFew} for a proof of the complete list, not ${proof.feed_count}`,
      ),
    )
  })

  test('error: `from` is not a block', async () => {
    await expect(feedsProof('1')).rejects.toThrow(InvalidArgumentError)
  })
})

describe('a changed proof', () => {
  test('error: every changed value', async () => {
    const parts = new Set(['format', 'feed_count', 'feed_ids', 'registries', 'items'])
    for (const [path, value] of leavesOf(proof)) {
      if (!parts.has(String(path[0])) || path.includes('stored_value')) continue
      const outcome = await outcomeOf(withValue(proof, path, changed(value))).catch((error) => {
        expect(error).toBeInstanceOf(DecodeError)
        return 'malformed'
      })
      expect([typeof outcome, path]).toEqual(['string', path])
    }
  })

  test('error: items that are missing, repeated or swapped', async () => {
    const { items } = proof
    for (let index = 0; index < items.length; index++)
      for (const broken of [
        items.toSpliced(index, 1),
        items.toSpliced(index, 0, ...items.slice(index, index + 1)),
        items.slice(0, index),
        [...items.slice(0, index), ...items.slice(index).reverse()],
      ])
        if (JSON.stringify(broken) !== JSON.stringify(items))
          expect(await outcomeOf({ ...proof, items: broken })).toBeString()
  })

  test('error: an id is left out, together with its proof', async () => {
    const { items, feed_ids, feed_count } = proof
    const shorter = { ...proof, items: items.slice(0, -1), feed_ids: feed_ids.slice(0, -1) }
    expect(await outcomeOf(shorter)).toBe(`FeedRegistry ids[${feed_count - 1}]`)
    expect(await outcomeOf({ ...shorter, feed_count: feed_count - 1 })).toBe(
      `FeedRegistry ids[${feed_count - 1}]`,
    )
    for (const broken of [
      { feed_ids: feed_ids.slice(0, -1) },
      { feed_ids: [...feed_ids, ADDED] },
      { feed_ids: feed_ids.toReversed() },
      { feed_count: feed_count - 1 },
    ])
      expect(await outcomeOf({ ...proof, ...broken })).toBe('list of feeds')
  })

  test('error: the items or the number of feeds of an earlier block', async () => {
    expect(await outcomeOf({ ...earlier, block: proof.block })).toBe('FeedRegistry package')
    expect(await outcomeOf({ ...proof, items: proof.items.with(2, earlier.items[2] as never) })).toBe(
      'FeedRegistry count',
    )
  })

  test('error: something else was requested', async () => {
    const other = 'ab'.repeat(32)
    expect(await outcomeOf(proof, { feedId: WTI })).toBe('what was asked for')
    expect(await outcomeOf(proof, { index: null })).toBe('what was asked for')
    expect(await outcomeOf(proof, { chainName: 'casper' })).toBe('registries')
    expect(await outcomeOf(proof, { feedRegistryPackageHash: other })).toBe('registries')
    expect(await outcomeOf(proof, { trustedBlockHash: other })).toBe('trusted block')
    expect(await outcomeOf(await proofOf(world), { list: 'feeds' })).toBe('what was asked for')
    const absence = await world.client([0]).getFeedAbsence('NO.SUCH.FEED', { from: world.genesisHash })
    expect(await outcomeOf({ absence }, { list: 'feeds' })).toBe('what was asked for')
  })

  test('error: a part is missing or of another kind', async () => {
    for (const name of Object.keys(proof).filter((name) => name !== 'feed_ids'))
      await expect(outcomeOf(without(proof, [name]))).rejects.toThrow(DecodeError)
    for (const broken of [
      { feed_ids: 'x' },
      { feed_ids: [1] },
      { feed_ids: ['\ud800'] },
      { feed_count: 1.5 },
    ])
      await expect(outcomeOf({ ...proof, ...broken })).rejects.toThrow(DecodeError)
  })
})

describe('turns', () => {
  test('default: work runs one at a time, and a failure does not stop the next', async () => {
    const takeTurn = createTurns()
    const order: string[] = []
    const first = Promise.withResolvers<void>()
    const work = [
      takeTurn(async () => {
        await first.promise
        order.push('first')
        throw new Error('first')
      }),
      takeTurn(async () => order.push('second')),
    ]
    first.resolve()
    await Promise.allSettled(work)
    await expect(work[0]).rejects.toThrow('first')
    expect(order).toEqual(['first', 'second'])
  })

  test('error: the work before outlasts the wait', async () => {
    const takeTurn = createTurns(0)
    const first = Promise.withResolvers<void>()
    const held = takeTurn(() => first.promise)
    await expect(takeTurn(async () => {})).rejects.toThrow(ProofBusyError)
    first.resolve()
    await held
    await takeTurn(async () => {})
  })
})
