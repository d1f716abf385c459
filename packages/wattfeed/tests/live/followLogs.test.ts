import { describe, expect, test } from 'bun:test'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { type FollowLogsOptions, followLogs, type LogUpdate } from '../../src/live/followLogs.ts'
import { type ReadEvent, readEvent } from '../../src/live/logView.ts'
import { localClient } from '../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

const id = syntheticFeedId(0)

/** Follows the logs of a client without pauses. */
function follow(
  client: Parameters<typeof followLogs>[0],
  options: Partial<FollowLogsOptions<ReadEvent>> = {},
): () => Promise<LogUpdate<ReadEvent>> {
  const { signal } = new AbortController()
  const wait = async () => {}
  const updates = followLogs(client, { from: null, read: readEvent, wait, signal, ...options })
  return async () => (await updates.next()).value
}

const indexesOf = (update: LogUpdate<ReadEvent>): number[] =>
  update.kind === 'events' ? update.steps.map(({ event }) => event.index) : []

describe('followLogs', () => {
  test('default: starts at the end, then returns new events only', async () => {
    const chain = createSyntheticChain({ feeds: 2 })
    const next = follow(localClient(chain).client)
    expect(await next()).toMatchObject({ kind: 'events', steps: [], position: { feed: 2, attestation: 2 } })
    chain.attest(id, { amount: 5n })
    chain.advance()
    expect(await next()).toMatchObject({
      kind: 'events',
      steps: [{ event: { log: 'AttestationRegistry', index: 2, shown: { amount: 5n } } }],
      position: { feed: 2, attestation: 3 },
    })
    expect(await next()).toMatchObject({ kind: 'events', steps: [], position: { feed: 2, attestation: 3 } })
  })

  test('behavior: reads every event of a root before the next root, 32 at a time, and waits after that', async () => {
    const chain = createSyntheticChain({ feeds: 1 })
    const { client, calls } = localClient(chain)
    let waits = 0
    const wait = async () => void waits++
    const next = follow(client, { wait })
    await next()
    for (let amount = 1n; amount <= 70n; amount++) chain.attest(id, { amount })
    chain.advance()
    calls.reset()
    const updates = [await next(), await next(), await next()]
    expect(updates.map((update) => indexesOf(update).length)).toEqual([32, 32, 6])
    expect(updates.flatMap(indexesOf)).toEqual(Array.from({ length: 70 }, (_, index) => index + 1))
    expect([calls.byMethod().chain_get_state_root_hash, waits]).toEqual([1, 1])
  })

  test('behavior: a failure is a value, and nothing is lost by it', async () => {
    const chain = createSyntheticChain({ feeds: 1 })
    const { client, answerWith } = localClient(chain)
    const next = follow(client)
    await next()
    chain.attest(id, { amount: 5n })
    chain.advance()
    answerWith(() => ({ error: { code: -32602, message: 'out of order' } }))
    const failed = await next()
    expect(failed.kind === 'failed' && String(failed.error)).toContain('out of order')
    answerWith(chain.answer)
    expect(indexesOf(await next())).toEqual([1])
  })

  test('behavior: a position that the logs do not reach is awaited, and then resumed from', async () => {
    const chain = createSyntheticChain({ feeds: 1 })
    const { client } = localClient(chain)
    const start = await follow(client)()
    if (start.kind !== 'events') throw new Error(start.kind)
    chain.attest(id, { amount: 5n })
    chain.advance()
    const after = await follow(client)()
    if (after.kind !== 'events') throw new Error(after.kind)
    const behind = createSyntheticChain({ feeds: 1 })
    const next = follow(localClient(behind).client, { from: after.position })
    expect(await next()).toMatchObject({
      kind: 'ahead',
      view: { logs: { lengths: { AttestationRegistry: 1 } } },
    })
    for (const amount of [5n, 6n]) {
      behind.attest(id, { amount })
      behind.advance()
    }
    expect(indexesOf(await next())).toEqual([2])
  })

  test('behavior: a replaced chain resets it once, to the end of its logs', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { client, answerWith } = localClient(chain)
    const next = follow(client)
    await next()
    const other = await createRegistryChain({ feeds: 2, startMs: 1_750_000_000_000 })
    other.attest(testFeedId(0), { amount: 9n })
    await other.advance()
    answerWith(other.answer)
    let update = await next()
    while (update.kind === 'failed') update = await next()
    expect(update).toMatchObject({ kind: 'reset', reason: 'log', position: { feed: 2, attestation: 3 } })
    other.attest(testFeedId(1), { amount: 10n })
    await other.advance()
    expect(await next()).toMatchObject({ kind: 'events', steps: [{ event: { index: 3 } }] })
  })

  test('error: its signal ends it with the reason', async () => {
    const controller = new AbortController()
    const next = follow(localClient(createSyntheticChain({ feeds: 1 })).client, { signal: controller.signal })
    await next()
    controller.abort(new Error('enough'))
    await expect(next()).rejects.toThrow('enough')
  })
})
