import { describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import { createClient } from 'wattfeed'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

const hash = 'ab'.repeat(32)

/** Two nodes of one chain. Each reports a newest block of this age in milliseconds, or none. */
async function twoNodes(ages: { a: number | null; b: number | null }, { maxHeadAgeMs = 60_000 } = {}) {
  const chain = await createRegistryChain({ feeds: 1 })
  const asked: string[] = []
  const calls = createCallCounter(chain.answer)
  const node =
    (name: 'a' | 'b'): AnswerRpc =>
    (method, params) => {
      asked.push(`${name} ${method}`)
      if (method !== 'info_get_status') return calls.answer(method, params)
      const age = ages[name]
      const timestamp = age === null ? null : new Date(Date.now() - age).toISOString()
      const block = { height: 7, hash, timestamp }
      return { result: { chainspec_name: chain.chainName, last_added_block_info: timestamp && block } }
    }
  const rejected: string[] = []
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chain
  const client = createClient({
    chainName,
    feedRegistryPackageHash,
    attestationRegistryPackageHash,
    rpcUrls: ['http://a/rpc', 'http://b/rpc'],
    maxHeadAgeMs,
    fetch: (url, init) => localFetch(node(new URL(url).host as 'a' | 'b'))(url, init),
    observe: { rejected: ({ host, errorCode }) => rejected.push(`${host} ${errorCode}`) },
  })
  const rootsFrom = async (): Promise<string[]> => {
    asked.length = 0
    await client.getReading(testFeedId(0))
    await settle()
    return asked.filter((call) => call.endsWith('state_root_hash'))
  }
  return { client, asked, rejected, rootsFrom }
}

describe('the newest blocks of nodes that are believed', () => {
  test('default: a node that stands still is passed over for one that continues', async () => {
    using _ = stopClock()
    const { rootsFrom, rejected } = await twoNodes({ a: 3_600_000, b: 1_000 })
    expect(await rootsFrom()).toEqual(['a chain_get_state_root_hash'])
    await elapse(15_000)
    await rootsFrom()
    expect(await rootsFrom()).toEqual(['b chain_get_state_root_hash'])
    await elapse(5_000)
    expect(await rootsFrom()).toEqual(['b chain_get_state_root_hash'])
    expect(new Set(rejected)).toEqual(new Set(['a stale_node']))
  })

  test('behavior: it is passed over also if reads are rare', async () => {
    using _ = stopClock()
    const { rootsFrom } = await twoNodes({ a: 3_600_000, b: 1_000 })
    await rootsFrom()
    await elapse(15_000)
    await rootsFrom()
    await elapse(600_000)
    expect(await rootsFrom()).toEqual(['b chain_get_state_root_hash'])
  })

  test('behavior: they are asked beside a read, at most every 15 s', async () => {
    using _ = stopClock()
    const { rootsFrom, asked } = await twoNodes({ a: 1_000, b: 1_000 })
    const statuses = () => asked.filter((call) => call.endsWith('info_get_status'))
    await rootsFrom()
    expect(statuses()).toEqual(['a info_get_status'])
    await elapse(14_999)
    await rootsFrom()
    expect(statuses()).toEqual([])
    await elapse(1)
    await rootsFrom()
    expect(statuses()).toEqual(['a info_get_status', 'b info_get_status'])
    await rootsFrom()
    expect(statuses()).toEqual([])
  })

  test('behavior: a small lag is ignored', async () => {
    using _ = stopClock()
    const { rootsFrom, rejected } = await twoNodes({ a: 60_000, b: 0 })
    await rootsFrom()
    await elapse(15_000)
    await rootsFrom()
    expect([await rootsFrom(), rejected]).toEqual([['a chain_get_state_root_hash'], []])
  })

  test('behavior: a node that reports no block does not count as behind', async () => {
    using _ = stopClock()
    const { rootsFrom, rejected, client } = await twoNodes({ a: null, b: 1_000 })
    await rootsFrom()
    await elapse(15_000)
    await rootsFrom()
    expect([await rootsFrom(), rejected]).toEqual([['a chain_get_state_root_hash'], []])
    expect(client.status().block).toBeNull()
  })

  test('behavior: a block from the future does not make other nodes look old', async () => {
    using _ = stopClock()
    const { rootsFrom, rejected } = await twoNodes({ a: 1_000, b: -3_600_000 })
    await rootsFrom()
    await elapse(15_000)
    await rootsFrom()
    expect([await rootsFrom(), rejected]).toEqual([['a chain_get_state_root_hash'], []])
  })
})

describe('status', () => {
  test('default: the newest block of the node that answers, from its first answer on', async () => {
    using _ = stopClock()
    const { client, rootsFrom } = await twoNodes({ a: 5_000, b: 1_000 })
    expect(client.status()).toEqual({
      block: null,
      protocolVersion: null,
      feeds: null,
      undecodable: null,
      absenceShownBy: null,
    })
    await rootsFrom()
    expect(client.status().block).toEqual({ height: 7, hash, timestamp: Date.now() - 5_000 })
    await client.listReadings()
    expect(client.status()).toMatchObject({ feeds: 1, undecodable: 0 })
  })
})
