import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { createGlobalState, itemKey } from '@wattfeed/casper'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { flipLast } from '@wattfeed/testing/flipLast'
import {
  AbsenceNotProvenError,
  DecodeError,
  type FeedAbsence,
  type FeedProofTrust,
  HiddenValueError,
} from 'wattfeed'
import type { ClientOptions } from '../../../src/client/clientOptions.ts'
import { createFeedAbsence } from '../../../src/client/proof/create/createFeedAbsence.ts'
import { verifyFeedProof } from '../../../src/client/verifyFeedProof.ts'
import { feedRegistryField } from '../../../src/registry/fields.ts'
import { changed, leavesOf, without, withValue } from '../../support/jsonLeaves.ts'
import { proofOf, trustIn } from '../../support/provenFeed.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../../support/verifiedWorld.ts'
import { WTI } from '../../support/world.ts'

const UNKNOWN = 'NO.SUCH.FEED'
const VALUELESS = 'NO.VALUE.YET'

let world: VerifiedWorld
let trust: FeedProofTrust
let byWalk: FeedAbsence
let byIds: FeedAbsence

/** The options of a client whose node refuses `state_get_trie`, like most public nodes. */
async function refusing(): Promise<ClientOptions> {
  const node = world.world.devnet
  const error = { code: -32019, message: 'Function needed to execute this request is disabled', data: '' }
  const url = await world.serve((method, params) =>
    method === 'state_get_trie' ? { error } : node.call(method, params),
  )
  return { rpcUrls: [url] }
}

async function absenceOf(feedId: string, options: ClientOptions = {}): Promise<FeedAbsence> {
  const client = world.client([0], { verify: 'off', ...options })
  const absence = await client.getFeedAbsence(feedId, { from: world.genesisHash })
  if (absence === null) throw new Error(`the absence of ${feedId} is not shown`)
  return JSON.parse(JSON.stringify(absence))
}

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1 })
  const { register, owner } = world.world
  expect(await register(owner, VALUELESS)).toBeNull()
  trust = trustIn(world)
  byWalk = await absenceOf(UNKNOWN)
  byIds = await absenceOf(UNKNOWN, await refusing())
})

afterAll(() => world[Symbol.asyncDispose]())

/** The link that broke, or what is proven to be absent. */
async function outcomeOf(absence: unknown, by: Partial<FeedProofTrust> = {}): Promise<string> {
  const check = await verifyFeedProof({ error: '', absence }, { ...trust, ...by })
  expect(check.reading).toBeNull()
  return check.absence ? `${check.absence.absent} ${check.absence.feed_id}` : (check.links.at(-1)?.link ?? '')
}

describe('a feed that is not registered', () => {
  test('default: a walk down the trie proves it, at one state root and block', async () => {
    expect(Object.keys(byWalk.evidence)).toEqual(['trie_elements'])
    const { absence, links } = await verifyFeedProof({ error: 'x', absence: byWalk }, trust)
    expect(absence).toEqual({
      feed_id: UNKNOWN,
      absent: 'feed',
      block_height: Object(byWalk.block.header).height,
    })
    expect(links.slice(-5).map(({ link }) => link)).toEqual([
      'FeedRegistry package',
      'FeedRegistry version',
      'FeedRegistry contract',
      `FeedRegistry feeds[${UNKNOWN}] is absent`,
      'evidence',
    ])
    expect(links.every(({ holds }) => holds)).toBeTrue()
  })

  test('default: all ids prove it, with nodes that refuse the walk', async () => {
    expect(Object.keys(byIds.evidence)).toEqual(['ids'])
    expect(await outcomeOf(byIds)).toBe(`feed ${UNKNOWN}`)
  })

  test('behavior: a proof at hand proves it', async () => {
    const client = world.client([0])
    // The proofs of other feeds are at hand at the same root.
    await client.listReadings()
    const found = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        client.getFeedAbsence(`${UNKNOWN}.${index}`, { from: world.genesisHash }),
      ),
    )
    const near = found.find((each) => each && 'merkle_proof' in each.evidence)
    expect(near).toBeDefined()
    expect(await outcomeOf(near)).toStartWith(`feed ${UNKNOWN}.`)
  })

  test('behavior: null for a feed with a value', async () => {
    for (const options of [{}, await refusing()])
      expect(await world.client([0], { verify: 'off', ...options }).getFeedAbsence(WTI)).toBeNull()
  })
})

test('error: a node hides a feed whose id is in the list', async () => {
  const { field, key } = feedRegistryField.feed(WTI)
  const node = world.world.devnet
  const data = 'value was not found in the global state'
  const url = await world.serve((method, params) => {
    if (method === 'state_get_trie') return { error: { code: -32019, message: 'disabled' } }
    const asked = memberAt(params, 'dictionary_identifier', 'URef', 'dictionary_item_key')
    if (asked === itemKey(field, key)) return { error: { code: -32003, message: 'Query failed', data } }
    return node.call(method, params)
  })
  const absence = world.client([], { rpcUrls: [url] }).getFeedAbsence(WTI)
  await expect(absence).rejects.toThrow(new HiddenValueError(`FeedRegistry.feeds[${WTI}]`))
})

test('default: a walk proves that a registered feed has no value', async () => {
  const absence = await absenceOf(VALUELESS)
  expect(await outcomeOf(absence)).toBe(`value ${VALUELESS}`)
  const withIds = { ...absence, evidence: byIds.evidence }
  await expect(outcomeOf(withIds)).rejects.toThrow('"ids" can only show that a feed is not registered')
})

describe('without any evidence', () => {
  const create = (isProofRequired: boolean) => {
    const { devnet } = world.world
    const rpc = createLocalRpc((method, params) =>
      method === 'info_get_status' ? { result: { chainspec_name: 'test' } } : devnet.call(method, params),
    )
    return createFeedAbsence({
      state: createGlobalState(rpc),
      feedId: UNKNOWN,
      known: { isListed: false, hasValue: false },
      stateRootHash: String(Object(byWalk.block.header).state_root_hash),
      registries: byWalk.registries,
      block: byWalk.block,
      switchBlocks: [],
      evidence: { find: async () => null, keep: () => {}, askAgain: () => {} },
      ids: async () => null,
      isProofRequired,
    })
  }

  test('behavior: there is no proof', async () => {
    expect(await create(false)).toBeNull()
  })

  test('error: a proof is required', async () => {
    await expect(create(true)).rejects.toThrow(new AbsenceNotProvenError(`FeedRegistry.feeds[${UNKNOWN}]`))
  })
})

describe('a changed proof', () => {
  const named = ['walk', 'ids'] as const
  const proofs = () => ({ walk: byWalk, ids: byIds })

  test.each(named)('error: every changed text of a proof by %s', async (name) => {
    const proof = proofs()[name]
    const parts = new Set(['format', 'feed_id', 'absent', 'registries', 'items', 'evidence'])
    for (const [path, value] of leavesOf(proof)) {
      if (!parts.has(String(path[0])) || path.includes('stored_value')) continue
      const outcome = await outcomeOf(withValue(proof, path, changed(value))).catch((error) => {
        expect(error).toBeInstanceOf(DecodeError)
        return 'malformed'
      })
      // By ids, the absence of any other unknown feed follows, too.
      expect([outcome, path]).not.toEqual([`feed ${UNKNOWN}`, path])
      if (path[0] !== 'feed_id') expect([outcome.startsWith('feed '), path]).toEqual([false, path])
    }
  })

  test.each(named)('error: evidence that is cut short, repeated or extended: %s', async (name) => {
    const { evidence, ...rest } = proofs()[name]
    const [kind = '', list = []] = Object.entries(evidence)[0] ?? []
    for (let index = 0; index < list.length; index++)
      for (const broken of [
        list.toSpliced(index, 1),
        list.toSpliced(index, 0, list[index]),
        list.slice(0, index),
      ])
        expect(await outcomeOf({ ...rest, evidence: { [kind]: broken } })).not.toStartWith('feed ')
  })

  test('error: the ids include the feed', async () => {
    const absence = { ...byIds, feed_id: WTI }
    expect(await outcomeOf(absence)).toBe('FeedRegistry ids[0] is another feed')
  })

  test('error: the walk ends at the feed', async () => {
    const state = String(Object(byWalk.block.header).state_root_hash)
    const absence = await absenceOf(UNKNOWN)
    const wti = (await proofOf(world)).items[2]?.merkle_proof ?? ''
    expect(String(Object(absence.block.header).state_root_hash)).toBe(state)
    const link = `FeedRegistry feeds[${WTI}] is absent`
    expect(await outcomeOf({ ...absence, feed_id: WTI, evidence: { merkle_proof: wti } })).toBe(link)
    expect(await outcomeOf({ ...absence, feed_id: WTI })).toBe(link)
    expect(await outcomeOf({ ...absence, evidence: { merkle_proof: flipLast(wti) } })).toBe(
      `FeedRegistry feeds[${UNKNOWN}] is absent`,
    )
  })

  test('error: another feed, registry, chain or trusted block was requested', async () => {
    const other = 'ab'.repeat(32)
    expect(await outcomeOf(byWalk, { feedId: WTI })).toBe('what was asked for')
    expect(await outcomeOf(byWalk, { feedId: UNKNOWN })).toBe(`feed ${UNKNOWN}`)
    expect(await outcomeOf(byWalk, { chainName: 'casper' })).toBe('registries')
    expect(await outcomeOf(byWalk, { feedRegistryPackageHash: other })).toBe('registries')
    expect(await outcomeOf(byWalk, { trustedBlockHash: other })).toBe('trusted block')
  })

  test('error: the package and the contract of another registry', async () => {
    const { items } = await absenceOf(VALUELESS)
    expect(await outcomeOf({ ...byWalk, items })).toBe('FeedRegistry package')
    const renamed = items.map((item) => ({ ...item, registry: 'FeedRegistry' }))
    expect(await outcomeOf({ ...byWalk, items: renamed })).toBe('FeedRegistry package')
  })

  test('error: evidence and items of another block', async () => {
    world.world.devnet.produceBlock()
    expect(await world.world.attest(world.world.owner, WTI, 1n)).toBeNull()
    const later = await absenceOf(UNKNOWN)
    expect(await outcomeOf({ ...later, evidence: byWalk.evidence })).toBe(
      `FeedRegistry feeds[${UNKNOWN}] is absent`,
    )
    expect(await outcomeOf({ ...later, items: byWalk.items })).toBe('FeedRegistry package')
    expect(await outcomeOf({ ...byIds, block: later.block, switch_blocks: later.switch_blocks })).toBe(
      'FeedRegistry package',
    )
  })

  test('error: a part is missing or of another kind', async () => {
    for (const name of Object.keys(byWalk))
      await expect(outcomeOf(without(byWalk, [name]))).rejects.toThrow(DecodeError)
    for (const evidence of [
      {},
      { merkle_proof: 1 },
      { ...byWalk.evidence, ...byIds.evidence },
      { ids: 'x' },
      null,
    ])
      await expect(outcomeOf({ ...byWalk, evidence })).rejects.toThrow(DecodeError)
    await expect(outcomeOf(null)).rejects.toThrow('the server could not prove the absence')
  })
})
