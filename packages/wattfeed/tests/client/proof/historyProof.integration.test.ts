import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createGlobalState } from '@wattfeed/casper'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { DecodeError, type FeedProofTrust, type HistoryProof, InvalidArgumentError } from 'wattfeed'
import { createHistoryProof } from '../../../src/client/proof/create/createHistoryProof.ts'
import { verifyFeedProof } from '../../../src/client/verifyFeedProof.ts'
import { changed, leavesOf, without, withValue } from '../../support/jsonLeaves.ts'
import { brokenLink, proofOf, trustIn } from '../../support/provenFeed.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../../support/verifiedWorld.ts'
import { BRENT, WTI } from '../../support/world.ts'

let world: VerifiedWorld
let trust: FeedProofTrust
let earlier: HistoryProof
let proof: HistoryProof

async function historyProof(from: string | null = world.genesisHash): Promise<HistoryProof> {
  const history = await world.client([0], { verify: 'off' }).getHistoryProof(WTI, { from })
  return JSON.parse(JSON.stringify(history))
}

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1 })
  trust = trustIn(world)
  const { attest, owner } = world.world
  expect(await attest(owner, WTI, 7n)).toBeNull()
  earlier = await historyProof()
  expect(await attest(owner, WTI, 8n)).toBeNull()
  proof = await historyProof()
})

afterAll(() => world[Symbol.asyncDispose]())

/** The link that broke, or the number of proven values. */
async function outcomeOf(json: unknown, by: Partial<FeedProofTrust> = {}): Promise<string | number> {
  const check = await verifyFeedProof(json, { ...trust, ...by })
  expect(check.reading).toBeNull()
  return check.history?.values.length ?? brokenLink(check) ?? ''
}

describe('the proof of a history', () => {
  test('default: it proves every value, at one state root and block', async () => {
    expect(proof.values.slice(-2).map(({ amount }) => amount)).toEqual(['7', '8'])
    const { history, links } = await verifyFeedProof(proof, { ...trust, feedId: WTI, list: 'history' })
    expect(history).toEqual({
      feed_id: WTI,
      values: await world.client([0]).getValueHistory(WTI),
      block_height: Object(proof.block.header).height,
    })
    expect(links.at(-1)).toEqual({
      link: 'history',
      holds: true,
      detail: `all ${proof.count} values of ${WTI}`,
    })
    expect(await outcomeOf(earlier)).toBe(proof.count - 1)
  })

  test('behavior: null for a feed that is not registered', async () => {
    expect(await world.client([0]).getHistoryProof('NO.SUCH.FEED')).toBeNull()
  })

  test('error: there are more values than a proof may have', async () => {
    const { devnet } = world.world
    const rpc = createLocalRpc((method, params) =>
      method === 'info_get_status' ? { result: { chainspec_name: 'test' } } : devnet.call(method, params),
    )
    const request = {
      state: createGlobalState(rpc),
      feedId: WTI,
      known: { isListed: true, hasValue: true },
      stateRootHash: String(Object(proof.block.header).state_root_hash),
      registries: proof.registries,
      block: proof.block,
      switchBlocks: [],
    }
    const max = proof.count - 1
    expect((await createHistoryProof(request, proof.count))?.values).toEqual([...proof.values])
    await expect(createHistoryProof(request, max)).rejects.toThrow(
      new InvalidArgumentError(
        'count',
        `at most ${max} for a proof of the complete list, not ${proof.count}`,
      ),
    )
  })

  test('error: `from` is not a block', async () => {
    await expect(historyProof('1')).rejects.toThrow(InvalidArgumentError)
  })
})

describe('a changed proof', () => {
  test('error: every changed value', async () => {
    const parts = new Set(['format', 'feed_id', 'count', 'values', 'registries', 'items'])
    for (const [path, value] of leavesOf(proof)) {
      if (!parts.has(String(path[0])) || path.includes('stored_value')) continue
      const outcome = await outcomeOf(withValue(proof, path, changed(value))).catch((error) => {
        expect(error).toBeInstanceOf(DecodeError)
        return 'malformed'
      })
      expect([typeof outcome, path]).toEqual(['string', path])
    }
  })

  test('error: items that are missing or repeated', async () => {
    const { items } = proof
    for (let index = 0; index < items.length; index++)
      for (const broken of [
        items.toSpliced(index, 1),
        items.toSpliced(index, 0, ...items.slice(index, index + 1)),
        items.slice(0, index),
      ])
        expect(await outcomeOf({ ...proof, items: broken })).toBeString()
  })

  test('error: the newest value is left out, together with its proof', async () => {
    const { items, values, count } = proof
    const broken = { items: items.slice(0, -1), values: values.slice(0, -1), count: count - 1 }
    const link = `AttestationRegistry history[${WTI}#${count - 1}]`
    expect(await outcomeOf({ ...proof, ...broken })).toBe(link)
    expect(await outcomeOf({ ...proof, values: values.slice(0, -1) })).toBe('history')
    expect(await outcomeOf({ ...proof, values: values.toReversed() })).toBe('history')
    expect(await outcomeOf({ ...proof, values: [...values, values[0]] })).toBe('history')
    expect(await outcomeOf({ ...proof, values: values.map((value) => ({ ...value, extra: 1 })) })).toBe(
      'history',
    )
    expect(await outcomeOf({ ...earlier, block: proof.block })).toBe('AttestationRegistry package')
  })

  test('error: something else was requested', async () => {
    expect(await outcomeOf(proof, { feedId: BRENT, list: 'history' })).toBe('what was asked for')
    expect(await outcomeOf(proof, { feedId: WTI, index: null })).toBe('what was asked for')
    expect(await outcomeOf(proof, { list: 'feeds' })).toBe('what was asked for')
    expect(await outcomeOf(proof, { chainName: 'casper' })).toBe('registries')
    expect(await outcomeOf({ ...proof, feed_id: BRENT })).toBe(`AttestationRegistry count[${BRENT}]`)
    const reading = await proofOf(world)
    expect(await outcomeOf(reading, { feedId: WTI, list: 'history' })).toBe('what was asked for')
  })

  test('error: a part is missing or of another kind', async () => {
    for (const name of Object.keys(proof).filter((name) => name !== 'values'))
      await expect(outcomeOf(without(proof, [name]))).rejects.toThrow(DecodeError)
    for (const broken of [{ values: 'x' }, { feed_id: '\ud800' }, { count: '3' }])
      await expect(outcomeOf({ ...proof, ...broken })).rejects.toThrow(DecodeError)
    expect(await outcomeOf({ ...proof, values: proof.values.map(() => null) })).toBe('history')
  })
})
