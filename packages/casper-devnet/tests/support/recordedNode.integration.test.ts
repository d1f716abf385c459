import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hashOf, odraItemKey, string, u64 } from '@wattfeed/testing/bytesrepr'
import { callRpc, postRpc } from './callRpc.ts'
import type { Exchange } from './exchange.ts'
import { type RecordedNode, readRecordedChain, startRecordedNode } from './recordedNode.ts'

const exchanges = readRecordedChain()
const network = await Bun.file(new URL('../../../../fixtures/chain/network.json', import.meta.url)).json()
const feedSeed: string = network.state_urefs.FeedRegistry
const attestationSeed: string = network.state_urefs.AttestationRegistry
const otherRoot = hashOf('another root')
const absent = { code: -32003, message: 'Query failed', data: 'value was not found in the global state' }

let node: RecordedNode
beforeAll(async () => {
  node = await startRecordedNode()
})
afterAll(() => node.stop())

const answerTo = (method: string, params?: unknown): Promise<unknown> => callRpc(node.url, method, params)

const item = (seedUref: string, itemKey: string): object => ({
  dictionary_identifier: { URef: { seed_uref: seedUref, dictionary_item_key: itemKey } },
})

const exchangeOf = (note: string): Exchange => {
  const found = exchanges.find((each) => each.note === note)
  if (found === undefined) throw new Error(`nothing recorded as ${note}`)
  return found
}

const resultOf = (exchange: Exchange): unknown => ('result' in exchange ? exchange.result : undefined)

describe('startRecordedNode', () => {
  test('default: the node has a client’s options for its chain', () => {
    expect(node).toMatchObject({
      chainName: network.chain_name,
      stateRootHash: network.state_root_hash,
      feedRegistryPackageHash: network.feed_registry_package,
      attestationRegistryPackageHash: network.attestation_registry_package,
    })
    expect(node.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/rpc$/)
  })

  test('behavior: every recorded exchange is answered as it was recorded', async () => {
    for (const { method, params, ...recorded } of exchanges) {
      const answer = 'error' in recorded ? { error: recorded.error } : { result: recorded.result }
      expect(await answerTo(method, params)).toEqual({ jsonrpc: '2.0', id: 1, ...answer })
    }
  })

  test('behavior: the response has the id of the request', async () => {
    for (const id of [0, 'text', null, 2 ** 40])
      expect(await callRpc(node.url, 'chain_get_state_root_hash', {}, id)).toMatchObject({ id })
  })

  test('behavior: equivalent params get the same response', async () => {
    const root = resultOf(exchanges[1] as Exchange)
    for (const params of [undefined, null, {}, [], { block_identifier: null }])
      expect(await answerTo('chain_get_state_root_hash', params)).toMatchObject({ result: root })
    for (const params of [undefined, null, {}])
      expect(await answerTo('info_get_status', params)).toMatchObject({
        result: { chainspec_name: network.chain_name },
      })
  })

  test('behavior: a read without state root uses the recorded one', async () => {
    const packageKey = network.feed_registry_package
    const result = resultOf(exchangeOf('FeedRegistry package'))
    for (const state_identifier of [undefined, null, { StateRootHash: network.state_root_hash }])
      expect(
        await answerTo('query_global_state', { path: [], key: packageKey, state_identifier }),
      ).toMatchObject({
        result,
      })
    expect(await answerTo('state_get_dictionary_item', item(feedSeed, odraItemKey(4)))).toMatchObject({
      result: resultOf(exchangeOf('FeedRegistry.count')),
    })
  })

  test('behavior: an item that was absent on chain is absent', async () => {
    const keys = [odraItemKey(2, string('NO.SUCH.FEED')), odraItemKey(3, u64(43)), '45']
    for (const key of keys)
      expect(await answerTo('state_get_dictionary_item', item(feedSeed, key))).toMatchObject({
        error: absent,
      })
  })

  test('error: another state root is unknown', async () => {
    const dictionaryItem = { state_root_hash: otherRoot, ...item(feedSeed, odraItemKey(4)) }
    const packageRead = {
      state_identifier: { StateRootHash: otherRoot },
      key: network.feed_registry_package,
      path: [],
    }
    const noSuchRoot = { error: { code: -32012, message: 'No such state root' } }
    expect(await answerTo('state_get_dictionary_item', dictionaryItem)).toMatchObject(noSuchRoot)
    expect(await answerTo('query_global_state', packageRead)).toMatchObject(noSuchRoot)
  })

  test('behavior: the chain has no addressable entities', async () => {
    const key = `package-${otherRoot}`
    expect(await answerTo('query_global_state', { key, path: [] })).toMatchObject({ error: { code: -32003 } })
  })

  test('error: a call that was not recorded is not reported as absence', async () => {
    const unasked: [string, unknown][] = [
      ['query_global_state', { key: `hash-${otherRoot}`, path: [] }],
      ['query_global_state', { key: network.feed_registry_package, path: ['state'] }],
      ['state_get_dictionary_item', item(`uref-${otherRoot}-007`, odraItemKey(4))],
      ['state_get_dictionary_item', item(feedSeed, odraItemKey(6))],
      ['state_get_dictionary_item', item(attestationSeed, odraItemKey(6))],
      [
        'state_get_dictionary_item',
        item(attestationSeed, odraItemKey(4, string('UNREGISTERED.VALUE.DAILY'))),
      ],
      [
        'state_get_dictionary_item',
        item(attestationSeed, odraItemKey(3, string('UNREGISTERED.VALUE.DAILY#0'))),
      ],
      ['state_get_dictionary_item', { dictionary_identifier: { Dictionary: `dictionary-${otherRoot}` } }],
    ]
    for (const [method, params] of unasked)
      expect(await answerTo(method, params)).toMatchObject({
        error: { code: -32602, message: 'Not recorded' },
      })
    expect(await answerTo('account_put_transaction', {})).toMatchObject({ error: { code: -32601 } })
  })

  test('error: batches and invalid requests are rejected', async () => {
    const replyTo = async (body: string): Promise<unknown> => (await postRpc(node.url, body)).json()
    expect(await replyTo('[{"jsonrpc":"2.0","id":1,"method":"info_get_status"}]')).toMatchObject({
      id: null,
      error: { code: -32700 },
    })
    expect(await replyTo('{"jsonrpc":"2.0","id":1}')).toMatchObject({ error: { code: -32600 } })
    expect(await replyTo('{"jsonrpc')).toMatchObject({ error: { code: -32700 } })
  })

  test('error: only POST of JSON to /rpc is served', async () => {
    expect((await fetch(node.url)).status).toBe(405)
    expect((await postRpc(node.url, '{}', 'text/plain')).status).toBe(415)
    expect((await postRpc(node.url.replace('/rpc', '/'), '{}')).status).toBe(404)
  })

  test('error: a recording without registries', async () => {
    expect(startRecordedNode(exchanges.slice(0, 2))).rejects.toThrow(
      'the recording has no FeedRegistry package',
    )
  })
})
