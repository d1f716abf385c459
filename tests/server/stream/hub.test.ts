import { describe, expect, test } from 'bun:test'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { createMetrics, type Metrics } from '../../../src/server/metrics.ts'
import { createStreamHub } from '../../../src/server/stream/hub.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { ask, createTestLog, TestChainError } from '../testApp.ts'
import { createManualClock, createStreamServer, listenTo, settle, until } from './streamWorld.ts'

const id = syntheticFeedId(0)

function createWorld(feeds = 2) {
  const chain = createSyntheticChain({ feeds })
  const clock = createManualClock()
  const server = createStreamServer(chain, clock)
  const attest = async (...amounts: bigint[]) => {
    for (const amount of amounts) chain.attest(id, { amount })
    await chain.advance()
    // The poll before may not have ended yet.
    await settle()
    clock.advance(1_000)
  }
  return { chain, clock, server, attest, hashes: hashesOf(chain) }
}

/** A chain of real blocks. */
async function createEmbedded() {
  const chain = await createRegistryChain({ feeds: 2 })
  const clock = createManualClock()
  const server = createStreamServer(chain, clock)
  const attest = async (amount: bigint) => {
    chain.attest(testFeedId(0), { amount })
    await chain.advance()
    // The poll before may not have ended yet.
    await settle()
    clock.advance(1_000)
  }
  return { chain, clock, server, attest, id: testFeedId(0) }
}

const hashesOf = (chain: { feedRegistryPackageHash: string; attestationRegistryPackageHash: string }) =>
  `${chain.feedRegistryPackageHash.slice(5, 13)}-${chain.attestationRegistryPackageHash.slice(5, 13)}`

const idAt = (hashes: string, attestation: number) =>
  expect.stringMatching(new RegExp(`^${hashes}-[0-9a-f]{8}[.]f2[.]a${attestation}$`))

describe('GET /v1/stream', () => {
  test('default: new attestations, with the reading of /v1/feeds/:id', async () => {
    const { chain, server, attest, hashes } = createWorld()
    const response = await ask(server.app, '/v1/stream')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
    })
    const listener = await listenTo(server)
    await until(() => listener.blocks.length === 1)
    expect(listener.blocks).toEqual([{ id: idAt(hashes, 2) }])
    await attest(7n)
    await until(() => listener.blocks.length === 2)
    const reading = await (await ask(server.app, `/v1/feeds/${id}`)).json()
    const [, block] = listener.blocks
    expect(block).toEqual({
      id: idAt(hashes, 3),
      event: 'attested',
      data: {
        ...reading,
        index: 1,
        log: 'AttestationRegistry',
        log_index: 2,
        state_root_hash: chain.stateRootHash(),
      },
    })
    expect(Object.keys(block?.data)).toEqual([
      ...Object.keys(reading),
      'index',
      'log',
      'log_index',
      'state_root_hash',
    ])
    await response.body?.cancel()
  })

  test('behavior: a new feed is sent before its first value, without one', async () => {
    const { chain, clock, server } = createWorld()
    const listener = await listenTo(server)
    await until(() => listener.blocks.length === 1)
    chain.register('NEW')
    chain.attest('NEW', { amount: 5n })
    await chain.advance()
    clock.advance(1_000)
    await until(() => listener.blocks.length === 3)
    const [, feed, value] = listener.blocks
    expect(feed).toMatchObject({ event: 'feed', id: expect.stringContaining('.f3.a2') })
    expect(feed?.data).toMatchObject({ feed_id: 'NEW', decimals: 6, value: null, amount: null, index: null })
    expect(feed?.data).toMatchObject({ log: 'FeedRegistry', log_index: 2, updated_at: null })
    expect(value).toMatchObject({ event: 'attested', id: expect.stringContaining('.f3.a3') })
  })

  test('behavior: one state root per poll for any number of clients, and none after all have disconnected', async () => {
    const { clock, server, attest } = createWorld()
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listenTo(server)))
    await until(() => listeners.every(({ blocks }) => blocks.length === 1))
    server.calls.reset()
    await attest(1n)
    await until(() => listeners.every(({ blocks }) => blocks.length === 2))
    const roots = () => server.calls.byMethod().chain_get_state_root_hash ?? 0
    expect(roots()).toBe(1)
    for (const listener of listeners) await listener.leave()
    for (let second = 0; second < 5; second++) {
      clock.advance(1_000)
      await settle()
    }
    expect(roots()).toBeLessThanOrEqual(2)
    expect(await server.metrics.registry.metrics()).toContain('wattfeed_streams_open 0\n')
  })

  test('behavior: a client that connects right after all others have disconnected misses no event', async () => {
    const { chain, clock, server } = createWorld()
    const first = await listenTo(server)
    await until(() => first.blocks.length === 1)
    await first.leave()
    clock.advance(1_000)
    await settle()
    chain.attest(id, { amount: 5n })
    await chain.advance()
    const second = await listenTo(server)
    await until(() => second.blocks.length > 0)
    chain.attest(id, { amount: 6n })
    await chain.advance()
    clock.advance(1_000)
    await until(() => second.dataOf('attested').at(-1)?.amount === '6')
    const resumed = await listenTo(server, `?from=${first.lastId()}`)
    await until(() => resumed.dataOf('attested').length === 2)
    const after = second.blocks[0]?.id === first.lastId() ? ['5', '6'] : ['6']
    expect(second.dataOf('attested').map(({ amount }) => amount)).toEqual(after)
  })

  test('behavior: a stream starts at the newest position, also after the clock was set back by an hour', async () => {
    const chain = createSyntheticChain({ feeds: 2 })
    const clock = createManualClock()
    let setBackMs = 0
    const now = () => clock.now() - setBackMs
    const server = createStreamServer(chain, clock, chain.answer, { now })
    const first = await listenTo(server)
    await until(() => first.blocks.length === 1)
    await first.leave()
    // The last poll ends. The server then makes none for a while, so that its position is old.
    clock.advance(1_000)
    await settle()
    clock.advance(10_000)
    chain.attest(id, { amount: 5n })
    await chain.advance()
    setBackMs = 3_600_000
    const second = await listenTo(server)
    await until(() => second.blocks.length > 0)
    expect(second.blocks).toEqual([{ id: idAt(hashesOf(chain), 3) }])
  })

  test('behavior: resumes from any position, with the same frames', async () => {
    const { server, attest } = createWorld()
    const first = await listenTo(server)
    await until(() => first.blocks.length === 1)
    for (let amount = 1n; amount <= 5n; amount++) {
      await attest(amount, amount + 100n)
      await until(() => first.blocks.length === 1 + 2 * Number(amount))
    }
    const ids = first.blocks.map((block) => block.id ?? '')
    server.calls.reset()
    for (const [index, from] of ids.entries()) {
      const resumed = await listenTo(server, `?from=${from}`)
      await until(() => resumed.blocks.length === ids.length - index - 1)
      expect(resumed.blocks).toEqual(first.blocks.slice(index + 1))
      // The header of a reconnecting browser takes precedence over the URL.
      const again = await listenTo(server, `?from=${ids[0]}`, { 'last-event-id': from })
      await until(() => again.blocks.length === ids.length - index - 1)
    }
    // Events that were sent before are replayed from memory. The position itself is only read if none were sent yet.
    expect(server.calls.byMethod().state_get_dictionary_item ?? 0).toBeLessThanOrEqual(1)
  })

  test('behavior: events before the first stream are read from the chain', async () => {
    const { chain, clock, server } = createWorld()
    const early = await listenTo(server)
    await until(() => early.blocks.length === 1)
    await early.leave()
    for (let block = 0; block < 3; block++) {
      for (let each = 0; each < 30; each++) chain.attest(syntheticFeedId(each % 2), { amount: BigInt(each) })
      await chain.advance()
    }
    const other = createStreamServer(chain, clock)
    const resumed = await listenTo(other, `?id=${syntheticFeedId(1)}&from=${early.lastId()}`)
    await until(() => resumed.blocks.length === 45)
    expect(resumed.dataOf('attested').map(({ index }) => index)).toEqual(
      Array.from({ length: 45 }, (_, index) => index + 1),
    )
    expect(await other.metrics.registry.metrics()).toContain(
      'wattfeed_stream_events_total{kind="replayed"} 45\n',
    )
  })

  test('behavior: a heartbeat every 15 s, with the position if a filter skipped events', async () => {
    const { clock, server, attest } = createWorld()
    const all = await listenTo(server)
    const some = await listenTo(server, `?id=${syntheticFeedId(1)}`)
    await until(() => all.blocks.length + some.blocks.length === 2)
    clock.advance(15_000)
    await settle()
    expect([all.comments(), some.comments(), all.blocks.length, some.blocks.length]).toEqual([1, 1, 1, 1])
    await attest(1n)
    await until(() => all.blocks.length === 2)
    clock.advance(15_000)
    await until(() => some.blocks.length === 2)
    expect(some.blocks[1]).toEqual({ id: all.blocks[1]?.id ?? '' })
  })

  test('behavior: snapshot=1 starts with the value of every feed, followed by the position', async () => {
    const { chain, clock, server } = createWorld()
    chain.register('EMPTY')
    await chain.advance()
    const listener = await listenTo(server, '?snapshot=1')
    await until(() => listener.blocks.length === 4)
    const { feeds } = await (await ask(server.app, '/v1/feeds')).json()
    const state_root_hash = chain.stateRootHash()
    expect(listener.blocks).toEqual([
      ...feeds.map((feed: object) => ({ event: 'snapshot', data: { ...feed, state_root_hash } })),
      {
        event: 'snapshot',
        data: expect.objectContaining({ feed_id: 'EMPTY', value: null, state_root_hash }),
      },
      { id: expect.stringContaining('.f3.a2') },
    ])
    const resumed = await listenTo(server, `?snapshot=1&from=${listener.lastId()}`)
    chain.attest(id, { amount: 3n })
    await chain.advance()
    clock.advance(1_000)
    await until(() => resumed.blocks.length === 1)
    expect(resumed.blocks).toEqual([expect.objectContaining({ event: 'attested' })])
    const filtered = await listenTo(server, `?snapshot=1&id=${id}`)
    await until(() => filtered.blocks.length === 2)
    expect(filtered.blocks[0]?.data).toMatchObject({ feed_id: id, amount: '3' })
  })

  test('behavior: the snapshot of all feeds is formatted once per state root, unless it fails', async () => {
    const fake = createFakeClient({ readings: [readingOf()] })
    let isDown = true
    const getFeed = async () => {
      if (isDown) throw new TestChainError('node_down')
      return readingOf({ unit: 'of EMPTY' })
    }
    const head = await fake.snapshot()
    const logs = await head.logs()
    const entries = new Map([...logs.entries, ['EMPTY', { feed: null, reading: null }]])
    const at = { ...head, getFeed, logs: async () => ({ ...logs, entries }) }
    const streams = createStreamHub({
      client: { snapshot: async () => at },
      metrics: createMetrics(),
      log: createTestLog().log,
      schedule: createManualClock().schedule,
    })
    const first = async () => {
      const body = await streams.open({ ids: null, from: null, snapshot: true, hasLeft: () => false })
      return (await body.getReader().read()).value
    }
    await expect(first()).rejects.toThrow('failed')
    isDown = false
    const one = await first()
    expect(new TextDecoder().decode(one)).toContain('of EMPTY')
    expect(await first()).toBe(one)
  })

  test('behavior: a position of another log or of other registries is reset, and the stream continues', async () => {
    const { server, attest, hashes } = createWorld()
    const now = await listenTo(server)
    await until(() => now.blocks.length === 1)
    for (const [from, reason] of [
      [`${hashes}-00000001.f1.a1`, 'log'],
      [`12345678${hashes.slice(8)}-00000001.f9.a900`, 'registry'],
    ] as const) {
      const listener = await listenTo(server, `?from=${from}`)
      await until(() => listener.blocks.length === 1)
      expect(listener.blocks).toEqual([{ event: 'reset', data: { reason, position: now.lastId() ?? '' } }])
      await attest(1n)
      // A heartbeat may have sent the id before.
      await until(() => listener.dataOf('attested').length === 1)
      await until(() => now.lastId() === listener.lastId())
    }
  })

  test('behavior: a restarted chain resets every stream', async () => {
    const { clock, server, attest, chain, id } = await createEmbedded()
    const listener = await listenTo(server, `?id=${id}`)
    await until(() => listener.blocks.length === 1)
    await attest(1n)
    await until(() => listener.blocks.length === 2)
    const other = await createRegistryChain({ feeds: 2, startMs: 1_750_000_000_000 })
    other.attest(id, { amount: 9n })
    await other.advance()
    server.answerWith(other.answer)
    expect(other.attestationRegistryPackageHash).toBe(chain.attestationRegistryPackageHash)
    clock.advance(1_000)
    await until(() => listener.blocks.length === 3)
    const { data } = listener.blocks[2] ?? {}
    expect(listener.blocks[2]).toEqual({
      event: 'reset',
      data: { reason: 'log', position: expect.stringContaining('.f2.a3') },
    })
    other.attest(id, { amount: 10n })
    await other.advance()
    clock.advance(1_000)
    await until(() => listener.blocks.length === 4)
    expect(listener.blocks[3]).toMatchObject({ event: 'attested', data: { amount: '10', log_index: 3 } })
    const resumed = await listenTo(server, `?from=${data.position}`)
    await until(() => resumed.blocks.length === 1)
    expect(resumed.blocks[0]).toEqual(listener.blocks[3] ?? {})
  })

  test('behavior: a position ahead of this server waits, and is rejected after a minute', async () => {
    const { chain, clock, server, attest } = await createEmbedded()
    const before = chain.stateRootHash()
    const listener = await listenTo(server)
    await until(() => listener.blocks.length === 1)
    await attest(1n)
    await until(() => listener.blocks.length === 2)
    const behind = createStreamServer(chain, clock, chain.answerAsOf(before))
    const from = `?from=${listener.lastId()}`
    const held = listenTo(behind, from)
    for (let second = 0; second < 10; second++) {
      clock.advance(1_000)
      await settle()
    }
    behind.answerWith(chain.answer)
    clock.advance(1_000)
    expect((await held).status).toBe(200)

    const stuck = createStreamServer(chain, clock, chain.answerAsOf(before))
    const refused = ask(stuck.app, `/v1/stream${from}`)
    let status = 0
    refused.then((response) => {
      status = response.status
    })
    await settle()
    while (status === 0) {
      clock.advance(10_000)
      await settle()
    }
    const response = await refused
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '4'])
    expect((await response.json()).error).toContain('is ahead of this server')
  })

  test.each([
    ['?id=NO.SUCH', 'id=NO.SUCH: the feed is not registered'],
    ['?from=yesterday', 'from=yesterday: it must be a position'],
    ['?from=12345678-12345678-12345678.f0.a0', 'it must be a position'],
    ['?snapshot=yes', 'it must be one of 0, 1'],
    ['?feed=X', 'unknown query parameter "feed"'],
  ])('error: %s', async (query, message) => {
    const { server } = createWorld()
    const response = await ask(server.app, `/v1/stream${query}`)
    expect([response.status, (await response.json()).error]).toEqual([400, expect.stringContaining(message)])
  })

  test('error: an invalid Last-Event-ID; an empty one is ignored', async () => {
    const { server } = createWorld()
    const response = await ask(server.app, '/v1/stream', { headers: { 'last-event-id': '17' } })
    expect([response.status, (await response.json()).error]).toEqual([
      400,
      expect.stringContaining('Last-Event-ID=17: it must be a position'),
    ])
    const listener = await listenTo(server, '', { 'last-event-id': '' })
    expect(listener.status).toBe(200)
  })

  test('error: the stream limit is reached', async () => {
    const { chain, clock } = createWorld()
    const small = createStreamServer(chain, clock, chain.answer, { maxStreams: 2 })
    const [first] = [await listenTo(small), await listenTo(small)]
    await until(() => first.blocks.length === 1)
    const refused = await ask(small.app, '/v1/stream')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '4'])
    expect(refused.headers.get('x-wattfeed-error')).toBe('streams_full')
    await first.leave()
    expect((await listenTo(small)).status).toBe(200)
  })

  test('error: the chain cannot be read', async () => {
    const { chain, clock } = createWorld()
    const broken = createStreamServer(chain, clock, () => ({ error: { code: -32603, message: 'no' } }))
    expect((await ask(broken.app, '/v1/stream')).status).toBe(502)
  })
})

describe('slow clients', () => {
  test('behavior: 256 kB wait for a client, then it is closed and resumes', async () => {
    const { server, attest, chain } = createWorld()
    chain.register(id, { description: 'x'.repeat(10_000) })
    await chain.advance()
    const fast = await listenTo(server)
    const slow = await listenTo(server)
    await until(() => fast.blocks.length + slow.blocks.length === 2)
    slow.pause(true)
    for (let count = 1; count <= 40 && !(await isDropped(server)); count++) {
      await attest(BigInt(count))
      await until(() => fast.blocks.length === count + 1)
    }
    expect(await server.metrics.registry.metrics()).toContain(
      'wattfeed_streams_dropped_total{reason="overflow"} 1\n',
    )
    expect(fast.blocks.length).toBeWithin(20, 32)
    slow.pause(false)
    await until(slow.hasEnded)
    const resumed = await listenTo(server, `?from=${slow.lastId()}`)
    await until(() => slow.blocks.length + resumed.blocks.length === fast.blocks.length)
    expect([...slow.blocks, ...resumed.blocks]).toEqual(fast.blocks)
  })

  const isDropped = async (server: { metrics: Metrics }) =>
    (await server.metrics.registry.metrics()).includes('reason="overflow"} 1')

  test('behavior: a batch larger than the buffer does not close the stream', async () => {
    const { server, chain, clock } = createWorld()
    const listener = await listenTo(server)
    await until(() => listener.blocks.length === 1)
    chain.register(id, { description: 'x'.repeat(10_000) })
    for (let count = 0; count < 70; count++) chain.attest(id, { amount: BigInt(count) })
    await chain.advance()
    clock.advance(1_000)
    await until(() => listener.dataOf('attested').length === 70)
    expect(listener.dataOf('attested').map(({ amount }) => amount)).toEqual(
      Array.from({ length: 70 }, (_, count) => String(count)),
    )
  })

  test('behavior: the stream of a client that reads nothing for 30 s is closed', async () => {
    const { server, attest, clock } = createWorld()
    const [awake, asleep] = [await listenTo(server), await listenTo(server)]
    await until(() => awake.blocks.length + asleep.blocks.length === 2)
    asleep.pause(true)
    await settle()
    await attest(1n, 2n)
    await until(() => awake.blocks.length === 3)
    await attest(3n)
    await until(() => awake.blocks.length === 4)
    clock.advance(44_000)
    await settle()
    asleep.pause(false)
    await until(asleep.hasEnded)
    expect(awake.hasEnded()).toBe(false)
    expect(
      server.lines.filter(({ message }) => message === 'stream ended').map(({ fields }) => fields),
    ).toEqual([{ reason: 'stalled', sent: 3, durationMs: expect.any(Number) }])
  })

  test('behavior: stopping ends every stream, and clients still receive queued data', async () => {
    const { server, attest } = createWorld()
    const listeners = [await listenTo(server), await listenTo(server)]
    await until(() => listeners.every(({ blocks }) => blocks.length === 1))
    await attest(1n)
    await until(() => listeners.every(({ blocks }) => blocks.length === 2))
    server.streams.stop()
    await until(() => listeners.every(({ hasEnded }) => hasEnded()))
    const refused = await ask(server.app, '/v1/stream')
    expect([refused.status, refused.headers.get('x-wattfeed-error')]).toEqual([503, 'streams_stopped'])
    expect(await server.metrics.registry.metrics()).toContain('wattfeed_streams_open 0\n')
  })
})
