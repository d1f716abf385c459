import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { itemKey } from '@wattfeed/casper'
import { isRecord } from '@wattfeed/casper/types'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { errorOf } from '@wattfeed/testing/errorOf'
import { AbsenceNotProvenError, type AbsenceWay, createClient, InvalidArgumentError } from 'wattfeed'
import type { ClientOptions } from '../../src/client/clientOptions.ts'
import { feedRegistryField } from '../../src/registry/fields.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../support/verifiedWorld.ts'
import { BRENT, WTI } from '../support/world.ts'

const UNKNOWN = 'NO.SUCH.FEED'

let world: VerifiedWorld

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1 })
})
afterAll(() => world[Symbol.asyncDispose]())

const disabled = {
  error: {
    code: -32019,
    message: 'Function needed to execute this request is disabled',
    data: "request for trie has failed: attempted to use a function that's disabled on the node",
  },
}

/** A node of the chain whose answers can be replaced; null leaves the answer to the node. */
function nodeWith(change: (method: string, params: unknown) => ReturnType<AnswerRpc> | null): {
  url: Promise<string>
  calls: string[]
} {
  const node = world.world.devnet
  const calls: string[] = []
  const url = world.serve((method, params) => {
    calls.push(method)
    return change(method, params) ?? node.call(method, params)
  })
  return { url, calls }
}

const refusing = () => nodeWith((method) => (method === 'state_get_trie' ? disabled : null))
const open = () => nodeWith(() => null)

async function clientOn(nodes: readonly { url: Promise<string> }[], options: ClientOptions = {}) {
  const ways: AbsenceWay[] = []
  const rpcUrls = await Promise.all(nodes.map(({ url }) => url))
  const client = world.client([], {
    rpcUrls,
    ...options,
    observe: { absence: ({ shownBy }) => ways.push(shownBy) },
  })
  return { client, ways }
}

describe('a feed that is not registered', () => {
  test('default: counting shows it once the list is known, without a call', async () => {
    const node = refusing()
    const { client, ways } = await clientOn([node])
    const at = await client.snapshot()
    await at.listReadings()
    node.calls.length = 0
    expect(await at.getReading(UNKNOWN)).toBeNull()
    expect(await at.getFeed(UNKNOWN)).toBeNull()
    expect(node.calls).toEqual([])
    expect(ways.filter((way) => way === 'count').length).toBe(2)
    expect(client.status().absenceShownBy).toBe('count')
  })

  test('behavior: after new events, the number of feeds is read once for each state root', async () => {
    const node = refusing()
    const { client, ways } = await clientOn([node])
    await client.listReadings()
    const { attest, owner } = world.world
    expect(await attest(owner, WTI, 61_000_000n)).toBeNull()
    const at = await client.snapshot()
    node.calls.length = 0
    expect(await at.getFeed(UNKNOWN)).toBeNull()
    expect(await at.getReading(`${UNKNOWN}.2`)).toBeNull()
    expect(node.calls).toEqual(['state_get_dictionary_item'])
    expect(ways).toEqual(['count', 'count'])
  })

  test('default: a walk down the trie shows it where the node allows it', async () => {
    const node = open()
    const { client, ways } = await clientOn([node])
    expect(await client.getFeed(UNKNOWN)).toBeNull()
    expect(ways.length).toBe(1)
    expect(['walk', 'proof']).toContain(ways[0] ?? '')
    const calls = node.calls.filter((method) => method === 'state_get_trie').length
    expect(calls).toBeLessThanOrEqual(7)
    // Elements are cached by their hash.
    expect(await client.getFeed(`${UNKNOWN}.2`)).toBeNull()
    expect(node.calls.filter((method) => method === 'state_get_trie').length).toBeLessThanOrEqual(calls + 3)
  })

  test('behavior: a node that refuses the walk is not asked again', async () => {
    const node = refusing()
    const { client, ways } = await clientOn([node])
    const ids = Array.from({ length: 8 }, (_, index) => `${UNKNOWN}.${index}`)
    for (const id of ids) expect(await client.getFeed(id)).toBeNull()
    expect(node.calls.filter((method) => method === 'state_get_trie').length).toBeLessThanOrEqual(1)
    expect(new Set(ways).isSubsetOf(new Set(['one_node', 'proof']))).toBeTrue()
  })

  test('behavior: another node that allows the walk shows it', async () => {
    const { client, ways } = await clientOn([refusing(), open()])
    for (const id of ['A', 'B', 'C', 'D']) expect(await client.getFeed(id)).toBeNull()
    expect(new Set(ways).isSubsetOf(new Set(['walk', 'proof']))).toBeTrue()
  })

  test('behavior: without a proof, two nodes must agree', async () => {
    const { client, ways } = await clientOn([refusing(), refusing()])
    const ids = Array.from({ length: 12 }, (_, index) => `${UNKNOWN}.${index}`)
    for (const id of ids) expect(await client.getFeed(id)).toBeNull()
    expect(ways).toContain('second_node')
    expect(ways).not.toContain('one_node')
  })

  test('error: a proof is required and there is none', async () => {
    const { client } = await clientOn([refusing()], { requireAbsenceProof: true })
    const ids = Array.from({ length: 12 }, (_, index) => `${UNKNOWN}.${index}`)
    const errors = await Promise.all(ids.map((id) => errorOf(client.getValue(id)).catch(() => null)))
    const refused = errors.filter((error) => error instanceof AbsenceNotProvenError)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.message).toStartWith('the absence of AttestationRegistry.latest[NO.SUCH.FEED')
  })

  test('behavior: where a proof is required, the list is read to count', async () => {
    const { client, ways } = await clientOn([refusing()], { requireAbsenceProof: true })
    expect(await client.getFeed(UNKNOWN)).toBeNull()
    expect(await client.getReading(UNKNOWN)).toBeNull()
    expect(ways).toEqual(['count', 'count'])
    expect((await client.getReading(WTI))?.feed_id).toBe(WTI)
  })

  test('error: a proof cannot be required where nothing is proven', () => {
    expect(() => createClient({ requireAbsenceProof: true })).toThrow(InvalidArgumentError)
  })
})

test('behavior: a list that lacks an id which no node proved shows no absence', async () => {
  const { field, key } = feedRegistryField.id(0)
  const unprovenId = itemKey(field, key)
  const served = world.world.devnet
  const withoutProof: AnswerRpc = async (method, params) => {
    const answer = await served.call(method, params)
    const asked = memberAt(params, 'dictionary_identifier', 'URef', 'dictionary_item_key')
    if (asked !== unprovenId || !('result' in answer) || !isRecord(answer.result)) return answer
    return { result: { stored_value: answer.result.stored_value } }
  }
  const { client, ways } = await clientOn([nodeWith(withoutProof)], { requireAbsenceProof: true })
  const at = await client.snapshot()
  expect(await at.listFeedIds()).toEqual([BRENT])
  expect(await at.getFeed(WTI)).not.toBeNull()
  expect((await at.getReading(WTI))?.feed_id).toBe(WTI)
  expect(ways).toEqual([])
})

test('behavior: a count that is absent itself shows nothing by counting', async () => {
  const { client, ways } = await clientOn([refusing()])
  const ids = Array.from({ length: 12 }, (_, index) => `${UNKNOWN}.${index}`)
  for (const id of ids) expect(await client.getValueAt(id, 0)).toBeNull()
  expect(ways).toContain('one_node')
  expect(ways).not.toContain('count')
})

test('behavior: an index past the end is counted', async () => {
  const { client, ways } = await clientOn([refusing()])
  expect(await client.getValueAt(BRENT, 1)).toBeNull()
  expect(await client.feedIdAt(2)).toBeNull()
  expect(ways).toEqual(['count', 'count'])
})

describe('a node that hides a feed', () => {
  const hidden = {
    error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' },
  }
  const hiding = () =>
    nodeWith((method, params) =>
      method === 'state_get_dictionary_item' && JSON.stringify(params).includes(wtiItem) ? hidden : null,
    )
  let wtiItem = ''

  beforeAll(async () => {
    // The item key of the feed, as the client asks for it.
    const node = nodeWith((method, params) => {
      if (method === 'state_get_dictionary_item')
        wtiItem = String(memberAt(params, 'dictionary_identifier', 'URef', 'dictionary_item_key'))
      return null
    })
    const { client } = await clientOn([node])
    await client.getFeed(WTI)
  })

  test('error: the walk finds it, so that one node is enough to detect the lie', async () => {
    const { client, ways } = await clientOn([hiding()])
    const error = await errorOf(client.getFeed(WTI))
    expect(error.message).toContain('on chain')
    expect(ways).toEqual([])
  })

  test('behavior: another node shows it', async () => {
    const { client } = await clientOn([hiding(), open()])
    expect(await client.getFeed(WTI)).not.toBeNull()
  })

  test('error: changed elements of the trie are no evidence', async () => {
    const lying = nodeWith((method, params) => {
      if (method === 'state_get_dictionary_item' && JSON.stringify(params).includes(wtiItem)) return hidden
      return method === 'state_get_trie' ? { result: { maybe_trie_bytes: `01${'00'.repeat(256)}` } } : null
    })
    const { client, ways } = await clientOn([lying], { requireAbsenceProof: true })
    const error = await errorOf(client.getValue(WTI).then(() => client.getFeed(WTI)))
    expect(error).toBeInstanceOf(Error)
    expect(ways).toEqual([])
  })
})
