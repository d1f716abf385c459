import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Chain } from '../../../src/chain/createChain.ts'
import { callRpc, postRpc } from '../callRpc.ts'
import { createTestChain, sessionOf } from '../testChain.ts'
import {
  createNodeWithFaults,
  type FaultyEndpoint,
  type NodeWithFaults,
  startNodeWithFaults,
} from './nodeWithFaults.ts'

let chain: Chain
let node: NodeWithFaults
let endpoint: FaultyEndpoint
beforeEach(async () => {
  chain = createTestChain()
  node = createNodeWithFaults(chain)
  endpoint = await startNodeWithFaults(node)
})
afterEach(() => endpoint.stop())

const root = async (url = endpoint.url): Promise<unknown> => callRpc(url, 'chain_get_state_root_hash')
const current = (): object => ({
  jsonrpc: '2.0',
  id: 1,
  result: { api_version: '2.0.0', state_root_hash: chain.tip().stateRootHash },
})
const attempt = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    () => 'broken',
  )

describe('startNodeWithFaults', () => {
  test('behavior: a node that rejects calls responds with 503', async () => {
    node.faults.refuse({ times: 1 })
    expect((await postRpc(endpoint.url, '{"jsonrpc":"2.0","id":1,"method":"info_get_status"}')).status).toBe(
      503,
    )
    expect(await root()).toEqual(current())
  })

  test('behavior: a dropped request breaks the connection and does nothing', async () => {
    node.faults.drop('request', { times: 1 })
    expect(
      await attempt(callRpc(endpoint.url, 'account_put_transaction', { transaction: sessionOf(1).json })),
    ).toBe('broken')
    expect(chain.tip().height).toBe(0)
  })

  test('behavior: a dropped answer breaks the connection after the transaction was accepted', async () => {
    node.faults.drop('answer', { methods: ['account_put_transaction'] })
    expect(
      await attempt(callRpc(endpoint.url, 'account_put_transaction', { transaction: sessionOf(1).json })),
    ).toBe('broken')
    expect(chain.tip().height).toBe(1)
    expect(await root()).toEqual(current())
  })

  test('behavior: an answer is delayed until another one arrives', async () => {
    const arrived = Promise.withResolvers<void>()
    await using counted = await startNodeWithFaults({
      call(method, params) {
        arrived.resolve()
        return node.call(method, params)
      },
    })
    node.faults.reorder(2)
    let isAnswered = false
    const first = root(counted.url).then(() => {
      isAnswered = true
    })
    await arrived.promise
    expect(isAnswered).toBeFalse()
    await Promise.all([first, root(counted.url)])
    expect(isAnswered).toBeTrue()
  })

  test('behavior: nodes of the same chain have their own faults', async () => {
    const other = createNodeWithFaults(chain)
    await using second = await startNodeWithFaults(other)
    const before = chain.tip()
    chain.put(sessionOf(1))
    other.faults.lag(1)
    expect(await root()).toEqual(current())
    expect(await root(second.url)).toMatchObject({ result: { state_root_hash: before.stateRootHash } })
    node.faults.refuse()
    expect(await root(second.url)).toMatchObject({ result: { state_root_hash: before.stateRootHash } })
    expect(
      await callRpc(second.url, 'query_global_state', {
        key: `account-hash-${'0'.repeat(64)}`,
        path: [],
        state_identifier: { StateRootHash: chain.tip().stateRootHash },
      }),
    ).toMatchObject({ error: { code: -32012 } })
  })
})
