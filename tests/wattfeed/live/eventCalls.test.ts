import { describe, expect, test } from 'bun:test'
import { localClient } from 'wattfeed/testing/localClient'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import type { LiveItem } from '../../../packages/wattfeed/src/live/items.ts'
import { watch } from '../../../packages/wattfeed/src/live/watch.ts'
import {
  createManualClock,
  createStreamServer,
  listenTo,
  settle,
  until,
} from '../../server/stream/streamWorld.ts'

const id = syntheticFeedId(0)

/** The calls for one event: the root, the lengths of both logs, the newest known event, and the new event twice. */
const CALLS_OF_ONE_EVENT = {
  chain_get_state_root_hash: 1,
  query_global_state: 2,
  state_get_dictionary_item: 3,
}

describe('node calls of one event', () => {
  test('default: six on a server, for any number of streams', async () => {
    const chain = createSyntheticChain({ feeds: 2 })
    const clock = createManualClock()
    const server = createStreamServer(chain, clock)
    const listeners = await Promise.all(Array.from({ length: 3 }, () => listenTo(server)))
    await until(() => listeners.every(({ blocks }) => blocks.length === 1))
    for (const amount of [1n, 2n, 3n]) {
      chain.attest(id, { amount })
      await chain.advance()
      await settle()
      server.calls.reset()
      clock.advance(1_000)
      await until(() => listeners.every(({ blocks }) => blocks.at(-1)?.data?.amount === String(amount)))
      expect(server.calls.byMethod()).toEqual(CALLS_OF_ONE_EVENT)
    }
  })

  test('behavior: six with a watch, roots without a change not counted', async () => {
    const chain = createSyntheticChain({ feeds: 2 })
    const { client, calls } = localClient(chain)
    const items = watch(client, { pollMs: 1 })
    await items.next()
    for (const amount of [1n, 2n, 3n]) {
      chain.attest(id, { amount })
      chain.advance()
      calls.reset()
      const { value } = (await items.next()) as { value: LiveItem }
      expect(value).toMatchObject({ event: 'attested', data: { amount } })
      expect({ ...calls.byMethod(), chain_get_state_root_hash: 1 }).toEqual(CALLS_OF_ONE_EVENT)
    }
    await items.return(undefined as never)
  })

  test('behavior: a root without an event costs four', async () => {
    const chain = createSyntheticChain({ feeds: 2 })
    const clock = createManualClock()
    const server = createStreamServer(chain, clock)
    const listener = await listenTo(server)
    await until(() => listener.blocks.length === 1)
    await settle()
    server.calls.reset()
    await chain.advance()
    clock.advance(1_000)
    await settle()
    expect(server.calls.total()).toBeLessThanOrEqual(4)
  })
})
