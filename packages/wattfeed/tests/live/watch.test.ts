import { describe, expect, test } from 'bun:test'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import type { LiveItem } from '../../src/live/items.ts'
import { watch } from '../../src/live/watch.ts'
import { localClient } from '../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

const pollMs = 1

/** Reads items until it has this number of wanted ones. */
async function take(items: AsyncIterator<LiveItem>, count: number, wanted = (_: LiveItem) => true) {
  const taken: LiveItem[] = []
  while (taken.length < count) {
    const { value } = await items.next()
    if (wanted(value)) taken.push(value)
  }
  return taken
}

const isEvent = ({ event }: LiveItem): boolean => event !== 'position'

const positionOf = (item: LiveItem | undefined): string =>
  item !== undefined && 'position' in item ? item.position : ''

describe('watch', () => {
  test('default: new attestations, each with the position after it', async () => {
    const chain = createSyntheticChain({ feeds: 2 })
    const { client } = localClient(chain)
    const items = watch(client, { pollMs })
    const [start] = await take(items, 1)
    expect(start).toEqual({ event: 'position', position: expect.stringContaining('.f2.a2') })
    chain.register('NEW')
    chain.attest('NEW', { amount: 5n })
    chain.advance()
    const [feed, value] = await take(items, 2)
    expect(feed).toMatchObject({
      event: 'feed',
      position: expect.stringContaining('.f3.a2'),
      data: { feed_id: 'NEW', value: null, amount: null, log: 'FeedRegistry', log_index: 2 },
    })
    const identity = { log: 'AttestationRegistry', log_index: 2, state_root_hash: chain.stateRootHash() }
    expect<unknown>(value).toEqual({
      event: 'attested',
      position: expect.stringContaining('.f3.a3'),
      data: { ...(await client.getReading('NEW')), index: 0, ...identity },
    })
    await items.return(undefined as never)
  })

  test('behavior: from any position, every reader gets the same items', async () => {
    const chain = createSyntheticChain({ feeds: 3 })
    const all = watch(localClient(chain).client, { pollMs })
    const items = await take(all, 1)
    for (let block = 0; block < 4; block++) {
      for (let each = 0; each < 20; each++) chain.attest(syntheticFeedId(each % 3), { amount: BigInt(each) })
      chain.advance()
    }
    items.push(...(await take(all, 80)))
    for (const index of [0, 1, 17, 40, 79]) {
      const resumed = watch(localClient(chain).client, { pollMs, from: positionOf(items[index]) })
      expect(await take(resumed, 80 - index)).toEqual(items.slice(index + 1))
    }
    const ids = [syntheticFeedId(0)]
    const filtered = watch(localClient(chain).client, { pollMs, ids, from: positionOf(items[0]) })
    expect(await take(filtered, 28, isEvent)).toEqual(
      items.filter((item) => item.event === 'attested' && item.data.feed_id === ids[0]),
    )
    const { value } = await filtered.next()
    expect(value).toEqual({ event: 'position', position: positionOf(items.at(-1)) })
  })

  test('behavior: a position of another log, other registries or a chain that was replaced is reset', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, answerWith } = localClient(chain)
    const items = watch(client, { pollMs })
    const position = positionOf((await take(items, 1))[0])
    for (const [from, reason] of [
      [position.replace(/-[0-9a-f]{8}\./, '-00000001.'), 'log'],
      [position.replace(/^.{8}(.*)a2$/, '12345678$1a900'), 'registry'],
    ] as const) {
      const [reset] = await take(watch(client, { pollMs, from }), 1)
      expect(reset).toEqual({ event: 'reset', data: { reason, position } })
    }
    const other = await createRegistryChain({ feeds: 2, startMs: 1_750_000_000_000 })
    answerWith(other.answer)
    const [reset] = await take(items, 1)
    expect(reset).toMatchObject({ event: 'reset', data: { reason: 'log' } })
    other.attest(testFeedId(1), { amount: 77n })
    await other.advance()
    expect(await take(items, 1)).toMatchObject([{ event: 'attested', data: { amount: 77n, log_index: 2 } }])
  })

  test('behavior: failures that may pass are waited out', async () => {
    const chain = createSyntheticChain({ feeds: 1 })
    const { client, answerWith } = localClient(chain)
    const items = watch(client, { pollMs })
    await take(items, 1)
    chain.attest(syntheticFeedId(0), { amount: 9n })
    chain.advance()
    let failures = 0
    answerWith((method, params) => {
      if (failures++ > 30) return chain.answer(method, params)
      return { error: { code: -32603, message: 'busy' } }
    })
    expect(await take(items, 1)).toMatchObject([{ event: 'attested', data: { amount: 9n } }])
    expect(failures).toBeGreaterThan(30)
  })

  test('behavior: its signal ends it', async () => {
    const { client } = localClient(createSyntheticChain({ feeds: 1 }))
    const controller = new AbortController()
    const items = watch(client, { pollMs: 1_000_000, signal: controller.signal })
    await take(items, 1)
    const next = items.next()
    controller.abort(new Error('enough'))
    expect(next).rejects.toThrow('enough')
  })

  test('error: a position that the nodes never reach', async () => {
    const { client } = localClient(createSyntheticChain({ feeds: 1 }))
    const position = positionOf((await take(watch(client), 1))[0])
    const from = position.replace(/a1$/, 'a7')
    // A poll lasts as long as its waits: the minute is over after the second poll.
    const items = watch(client, { from, pollMs: 60_000 })
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const real = globalThis.setTimeout
    globalThis.setTimeout = ((run: () => void, ms: number) => real(run, ms === 60_000 ? 0 : ms)) as never
    items.next().catch(resolve)
    const error = await promise
    globalThis.setTimeout = real
    expect(error).toMatchObject({ code: 'position_ahead', retryable: true, position: from })
  })

  test.each([
    [{ from: 'yesterday' }, 'from must be a position'],
    [{ ids: ['NO.SUCH'] }, 'ids must be ids of registered feeds; "NO.SUCH" is not registered'],
    [{ ids: [] }, 'ids must be a list of at least one feed id; omit it to watch all feeds'],
    [{ ids: 'TEST.FEED' as never }, 'ids must be a list of at least one feed id'],
    [{ pollMs: 0 }, 'pollMs must be an integer'],
  ])('error: %p', async (options, message) => {
    const { client } = localClient(createSyntheticChain({ feeds: 1 }))
    await expect(watch(client, options).next()).rejects.toThrow(message)
  })
})
