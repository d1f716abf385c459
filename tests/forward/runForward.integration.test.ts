import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { replayDeadLetters } from '../../src/forward/replayDeadLetters.ts'
import { openState, type State } from '../../src/forward/state.ts'
import { createTestLog } from '../server/testApp.ts'
import {
  createDyingState,
  createForwardFolder,
  namesOf,
  startForward,
  startReceiver,
  startStreamServer,
  until,
  webhookTo,
} from './forwardWorld.ts'

const [A, B] = [testFeedId(0), testFeedId(1)]

/** The expected events at a receiver of two feeds, with this number of attestations after the first two. */
const allNames = (attestations: number): string[] => [
  `f0 ${A}`,
  `f1 ${B}`,
  ...Array.from({ length: 2 + attestations }, (_, index) => `a${index} ${index % 2 === 0 ? A : B}`),
]

/** Two feeds in turn. */
async function attest(chain: RegistryChain, count: number, first = 0): Promise<void> {
  for (let index = first; index < first + count; index++)
    chain.attest(testFeedId(index % 2), { amount: BigInt(index), period: 20_261_001 + index })
  await chain.advance()
}

async function createWorld(attestations = 0) {
  const chain = await createRegistryChain({ feeds: 2 })
  if (attestations > 0) await attest(chain, attestations)
  const stack = new AsyncDisposableStack()
  const server = stack.use(startStreamServer(chain))
  const receiver = stack.use(startReceiver())
  const folder = stack.use(createForwardFolder())
  return { chain, server, receiver, folder, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const refuse =
  (status: number, headers = {}) =>
  () =>
    new Response('no', { status, headers })

describe('forward', () => {
  test('default: each event once, in order, as the stream shows it, with amounts as text', async () => {
    await using world = await createWorld()
    const { server, receiver, folder, chain } = world
    await using forward = await startForward({
      from: server.url,
      target: webhookTo(receiver.url),
      folder: folder.path,
    })
    await until(() => receiver.all.length === 4)
    await attest(chain, 5)
    await until(() => forward.outcomes.length === 9 && folder.position().endsWith('.f2.a7'))
    expect(namesOf(receiver.all)).toEqual(allNames(5))
    expect(receiver.all).toHaveLength(9)
    const last = receiver.all.at(-1)
    const { id, type, position, data } = last?.body ?? {}
    expect([id, type, position]).toEqual([last?.id, 'attested', folder.position()])
    const { value, amount, period } = chain.readings()[0] ?? {}
    expect(data).toMatchObject({ feed_id: A, value, amount: String(amount), period, log_index: 6 })
    const [feedRegistry, attestationRegistry] = [
      chain.feedRegistryPackageHash,
      chain.attestationRegistryPackageHash,
    ].map((hash) => hash.slice(5, 13))
    expect(id).toMatch(new RegExp(`^${feedRegistry}-${attestationRegistry}-a6-[0-9a-f]{8}$`))
  })

  test('behavior: continues where it was, and gives an event the same id from another server', async () => {
    await using world = await createWorld(3)
    const { server, receiver, folder, chain } = world
    const start = async (from: string, path: string) =>
      startForward({ from, target: webhookTo(receiver.url), folder: path })
    const first = await start(server.url, folder.path)
    await until(() => first.outcomes.length === 7)
    await first.stop()
    await attest(chain, 2, 3)
    await using other = startStreamServer(chain)
    const second = await start(other.url, folder.path)
    await until(() => second.outcomes.length === 2)
    await second.stop()
    expect(namesOf(receiver.all)).toEqual(allNames(5))
    expect(receiver.all).toHaveLength(9)
    using fresh = createForwardFolder()
    await using again = await start(other.url, fresh.path)
    await until(() => again.outcomes.length === 9)
    expect(new Set(receiver.all.map(({ id }) => id)).size).toBe(9)
  })

  test('behavior: without a position, starts with new events, or after the given position', async () => {
    await using world = await createWorld(3)
    const { server, receiver, folder, chain } = world
    const options = { from: server.url, isFromStart: false }
    const first = await startForward({ ...options, target: webhookTo(receiver.url), folder: folder.path })
    await until(() => folder.position() !== '')
    const after = folder.position()
    await attest(chain, 1, 3)
    await until(() => first.outcomes.length === 1)
    await first.stop()
    expect(namesOf(receiver.all)).toEqual([`a5 ${B}`])
    // A stop before the first event loses nothing either.
    using fresh = createForwardFolder()
    await using second = await startForward({
      ...options,
      target: webhookTo(receiver.url),
      folder: fresh.path,
      after,
    })
    await until(() => second.outcomes.length === 1)
    expect(namesOf(receiver.all.slice(1))).toEqual([`a5 ${B}`])
  })

  test('behavior: only the feeds that are requested, with a position past the others', async () => {
    await using world = await createWorld(2)
    const { server, receiver, folder } = world
    await using forward = await startForward({
      from: server.url,
      target: webhookTo(receiver.url),
      folder: folder.path,
      feeds: [B],
    })
    await until(() => forward.outcomes.length === 3)
    expect(namesOf(receiver.all)).toEqual([`f1 ${B}`, `a1 ${B}`, `a3 ${B}`])
  })

  test('behavior: an attempt that fails is made again, and the next event waits', async () => {
    await using world = await createWorld(2)
    const { server, receiver, folder } = world
    let left = 2
    receiver.answerWith(() => new Response(null, { status: left-- > 0 ? 503 : 200 }))
    await using forward = await startForward({
      from: server.url,
      target: webhookTo(receiver.url),
      folder: folder.path,
    })
    await until(() => forward.outcomes.length === 6)
    expect(receiver.all.slice(0, 3).map(({ body }) => body.data.log_index)).toEqual([0, 0, 0])
    expect(new Set(receiver.all.slice(0, 3).map(({ text }) => text)).size).toBe(1)
    expect(forward.outcomes[0]).toMatchObject({ outcome: 'delivered', attempts: 3, failure: null })
    expect(namesOf(receiver.accepted)).toEqual(allNames(2))
    expect(forward.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual(
      Array(2).fill('delivery failed; retrying'),
    )
  })

  test('behavior: Retry-After is waited for', async () => {
    await using world = await createWorld()
    const { server, receiver, folder } = world
    receiver.answerWith(refuse(429, { 'retry-after': '1200' }))
    const real = globalThis.setTimeout
    let isWaiting = false
    // The long pause ends immediately.
    Object.assign(globalThis, {
      setTimeout: (run: () => void, ms = 0) => {
        const isIt = ms >= 1_200_000 && ms < 1_200_100
        if (isIt) receiver.answerWith(() => new Response())
        isWaiting ||= isIt
        return real(run, isIt ? 0 : ms)
      },
    })
    try {
      await using forward = await startForward({
        from: server.url,
        target: webhookTo(receiver.url),
        folder: folder.path,
      })
      await until(() => forward.outcomes.length === 4)
      expect([isWaiting, forward.outcomes[0]?.attempts]).toEqual([true, 2])
      expect(forward.lines.find(({ level }) => level === 'warn')?.fields).toMatchObject({
        status: 429,
        retry_after_ms: 1_200_000,
      })
    } finally {
      globalThis.setTimeout = real
    }
  })

  test('behavior: a signal ends it after the event under way, and one that is tried again stays', async () => {
    await using world = await createWorld()
    const { server, receiver, folder } = world
    const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    receiver.answerWith(async () => {
      arrived.resolve()
      await answered.promise
      return new Response()
    })
    const options = { from: server.url, folder: folder.path }
    const first = await startForward({ ...options, target: webhookTo(receiver.url) })
    await arrived.promise
    const stopping = first.stop()
    answered.resolve()
    await stopping
    expect([first.outcomes.length, folder.position()]).toEqual([1, receiver.all[0]?.body.position])
    receiver.answerWith(refuse(500))
    const second = await startForward({
      ...options,
      target: webhookTo(receiver.url, { minPauseMs: 2 ** 30, maxPauseMs: 2 ** 30 }),
    })
    await until(() => second.lines.some(({ level }) => level === 'warn'))
    await second.stop()
    expect([second.outcomes, await folder.letters()]).toEqual([[], []])
    receiver.answerWith(() => new Response())
    await using third = await startForward({ ...options, target: webhookTo(receiver.url) })
    await until(() => third.outcomes.length === 3)
    expect(namesOf(receiver.accepted)).toEqual(allNames(0))
  })

  test('error: HTTP 410 ends it, and the event is not lost', async () => {
    await using world = await createWorld()
    const { server, receiver, folder } = world
    receiver.answerWith(refuse(410))
    const options = { from: server.url, folder: folder.path }
    const first = await startForward({ ...options, target: webhookTo(receiver.url) })
    expect(await errorOf(first.ended)).toMatchObject({ code: 'target', retryable: false })
    receiver.answerWith(() => new Response())
    await using second = await startForward({ ...options, target: webhookTo(receiver.url) })
    await until(() => second.outcomes.length === 4)
    expect(namesOf(receiver.accepted)).toEqual(allNames(0))
  })

  test('error: a rejection by the server ends it, a transient failure does not', async () => {
    await using world = await createWorld()
    const { server, receiver, folder } = world
    const options = { target: webhookTo(receiver.url), folder: folder.path }
    const refused = await startForward({ ...options, from: server.url, feeds: ['NONE'] })
    expect(await errorOf(refused.ended)).toMatchObject({ code: 'stream', status: 400 })
    const dead = await startForward({ ...options, from: 'http://127.0.0.1:1' })
    await until(() => dead.lines.filter(({ level }) => level === 'warn').length > 2)
    await dead.stop()
  })
})

/** A server that starts each stream with these blocks, for any request. */
function startFakeServer(...blocks: readonly string[]) {
  const streams: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch({ url }) {
      streams.push(url)
      const start = (controller: ReadableStreamDefaultController<string>) =>
        controller.enqueue(blocks.map((block) => `${block}\n\n`).join(''))
      const headers = { 'content-type': 'text/event-stream' }
      return new Response(new ReadableStream({ start }), { headers })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return { url, streams, [Symbol.asyncDispose]: () => server.stop(true) }
}

describe('a server that is invalid', () => {
  const event = { feed_id: A, log: 'AttestationRegistry', log_index: 1, amount: null }

  test.each([
    { ...event, feed_id: 5 },
    { ...event, feed_id: undefined },
    { ...event, log: 'FeedRegistry' },
    { ...event, log_index: '1\r\nwebhook-signature: v1,' },
    { ...event, log_index: { of: 'text' } },
    { ...event, log_index: -1 },
  ])('error: an event without a name ends it, and is not handed over: %p', async (data) => {
    const after = (count: number): string => `0f3c9a1e-7b2d4c88-5e1f0a9b.f1.a${count}`
    await using server = startFakeServer(
      `id: ${after(1)}`,
      `id: ${after(2)}\nevent: attested\ndata: ${JSON.stringify(data)}`,
    )
    await using receiver = startReceiver()
    using folder = createForwardFolder()
    const options = { from: server.url, folder: folder.path, after: after(1) }
    const forward = await startForward({ ...options, target: webhookTo(receiver.url) })
    expect(await errorOf(forward.ended)).toMatchObject({ code: 'stream', retryable: false })
    expect([receiver.all.length, folder.position()]).toEqual([0, after(1)])
  })
})

test('behavior: servers of two chains behind one address are not called again immediately', async () => {
  const at = (count: number): string => `0f3c9a1e-7b2d4c88-5e1f0a9b.f1.a${count}`
  const data = JSON.stringify({ reason: 'log', position: at(2) })
  await using server = startFakeServer(`id: ${at(2)}\nevent: reset\ndata: ${data}`)
  await using receiver = startReceiver()
  using folder = createForwardFolder()
  const options = { from: server.url, folder: folder.path, after: at(1), isFromStart: true }
  const watch = { minPauseMs: 3_600_000 }
  const forward = await startForward({ ...options, target: webhookTo(receiver.url), watch })
  await until(() => forward.outcomes.length > 0)
  // Enough time for many more.
  for (let asked = 0; asked < 10; asked++) await (await fetch(server.url)).body?.cancel()
  expect([receiver.all.length, server.streams.length]).toEqual([1, 1 + 10])
  await forward.stop()
})

describe('a chain that is another one', () => {
  const started = async (isFromStart: boolean) => {
    const stack = new AsyncDisposableStack()
    const chain = await createRegistryChain({ feeds: 2 })
    await attest(chain, 3)
    const receiver = stack.use(startReceiver())
    const folder = stack.use(createForwardFolder())
    const target = () => webhookTo(receiver.url)
    const before = startStreamServer(chain)
    const first = await startForward({ from: before.url, target: target(), folder: folder.path })
    await until(() => first.outcomes.length === 7)
    await first.stop()
    await before[Symbol.asyncDispose]()
    const previous = folder.position()
    // The same registries, but another event at the position.
    const other = await createRegistryChain({ feeds: 2, startMs: 1_750_000_000_000 })
    await attest(other, 4)
    const server = stack.use(startStreamServer(other))
    const second = stack.use(
      await startForward({ from: server.url, target: target(), folder: folder.path, isFromStart }),
    )
    return { receiver, folder, other, second, previous, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }

  test('default: the reset is forwarded and logged, and new events follow', async () => {
    await using world = await started(false)
    const { receiver, second, other, previous, folder } = world
    await until(() => second.outcomes.length === 1 && folder.position().endsWith('.f2.a6'))
    const reset = receiver.all.at(-1)
    expect(reset?.id).toBe(`${previous.replaceAll('.', '-')}-reset`)
    expect(reset?.body).toEqual({
      id: reset?.id,
      type: 'reset',
      position: folder.position(),
      data: { reason: 'log', previous, position: folder.position() },
    })
    expect(second.lines.find(({ level }) => level === 'warn')).toMatchObject({
      fields: { reason: 'log', previous, position: folder.position() },
      message: 'chain or registries replaced; continuing at another position',
    })
    await attest(other, 1, 4)
    await until(() => second.outcomes.length === 2)
    expect(namesOf(receiver.all.slice(7))).toEqual(['reset log', `a6 ${A}`])
  })

  test('behavior: from its start on, all of it follows, with ids of its own for its values', async () => {
    await using world = await started(true)
    const { receiver, second } = world
    await until(() => second.outcomes.length === 9)
    expect(namesOf(receiver.all.slice(7))).toEqual(['reset log', ...allNames(4)])
    const values = receiver.all.filter(({ body }) => body.type === 'attested').map(({ id }) => id)
    expect(new Set(values).size).toBe(values.length)
  })
})

describe('dead letters', () => {
  const replay = async (folder: string, url: string, through = (state: State) => state) => {
    const { log } = createTestLog()
    using state = openState(folder)
    const { signal: stop } = new AbortController()
    const options = { target: webhookTo(url), state: through(state), log, stop, onOutcome: () => {} }
    return await replayDeadLetters(options)
  }

  /** A forwarder whose receiver rejected the first values of `A`. */
  async function createRefused() {
    const world = await createWorld(4)
    const { server, receiver, folder } = world
    receiver.answerWith(({ body }) => new Response(null, { status: isRefused(body) ? 422 : 200 }))
    const forward = await startForward({
      from: server.url,
      target: webhookTo(receiver.url),
      folder: folder.path,
    })
    await until(() => forward.outcomes.length === 8)
    await forward.stop()
    return { ...world, forward }
  }
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
  const isRefused = ({ type, data }: any): boolean => type === 'attested' && data.feed_id === A

  test('default: rejected messages are stored, the rest is forwarded, and a replay sends them in order', async () => {
    await using world = await createRefused()
    const { receiver, folder, forward } = world
    expect(forward.outcomes.map(({ outcome }) => outcome)).toEqual([
      'delivered',
      'delivered',
      ...Array(3).fill(['dead_letter', 'delivered']).flat(),
    ])
    const letters = await folder.letters()
    expect(letters).toHaveLength(3)
    expect(letters[0]).toEqual({
      id: receiver.all[2]?.id ?? '',
      type: 'attested',
      feed_id: A,
      position: receiver.all[2]?.body.position,
      failed_at: expect.any(Number),
      attempts: 1,
      status: 422,
      reason: 'HTTP 422',
      body: receiver.all[2]?.text ?? '',
    })
    expect(forward.lines.filter(({ level }) => level === 'error')).toHaveLength(3)
    receiver.answerWith(({ body }) => new Response(null, { status: body.data.log_index === 2 ? 400 : 200 }))
    expect(await replay(folder.path, receiver.url)).toEqual({ delivered: 2, kept: 1 })
    expect(namesOf(receiver.all.slice(-3))).toEqual([`a0 ${A}`, `a2 ${A}`, `a4 ${A}`])
    const position = folder.position()
    const [kept, ...others] = await folder.letters()
    expect([others, kept?.reason, kept?.body]).toEqual([[], 'HTTP 400', letters[1]?.body])
    receiver.answerWith(() => new Response())
    expect(await replay(folder.path, receiver.url)).toEqual({ delivered: 1, kept: 0 })
    expect([await folder.letters(), folder.position()]).toEqual([[], position])
    expect(namesOf(receiver.accepted).toSorted()).toEqual(allNames(4).toSorted())
  })

  test('behavior: after the last attempt, too', async () => {
    await using world = await createWorld()
    const { server, receiver, folder } = world
    receiver.answerWith(refuse(500))
    await using forward = await startForward({
      from: server.url,
      target: webhookTo(receiver.url),
      folder: folder.path,
    })
    await until(() => forward.outcomes.length === 4)
    expect(receiver.all).toHaveLength(12)
    expect(forward.outcomes.map(({ outcome, attempts }) => [outcome, attempts])).toEqual(
      Array(4).fill(['dead_letter', 3]),
    )
  })

  test('behavior: a replay without a stored position stores none when a message fails again', async () => {
    await using receiver = startReceiver(refuse(400))
    using folder = createForwardFolder()
    const position = '0f3c9a1e-7b2d4c88-5e1f0a9b.f1.a1'
    const letter = { type: 'reset', feed_id: null, position, failed_at: 1, attempts: 1, status: 500 } as const
    {
      using state = openState(folder.path)
      state.addDeadLetter({ ...letter, id: 'a', reason: '', body: '{}' })
      using database = new Database(`${folder.path}/forward.db`)
      database.run('DELETE FROM position')
    }
    expect(await replay(folder.path, receiver.url)).toEqual({ delivered: 0, kept: 1 })
    const [kept] = await folder.letters()
    expect([kept?.reason, folder.position()]).toEqual(['HTTP 400', ''])
  })

  test('behavior: a replay that is killed at any step loses and doubles nothing that a later one does not', async () => {
    for (let step = 0, isDone = false; !isDone; step++) {
      await using world = await createRefused()
      const { receiver, folder } = world
      receiver.answerWith(() => new Response())
      const { through, steps } = createDyingState(step)
      isDone = await replay(folder.path, receiver.url, through).then(
        () => true,
        () => false,
      )
      expect(isDone ? steps() : step).toBeLessThanOrEqual(step)
      await replay(folder.path, receiver.url)
      expect(namesOf(receiver.accepted).toSorted()).toEqual(allNames(4).toSorted())
      // At most the one in flight came twice.
      expect(receiver.accepted.length - new Set(receiver.accepted.map(({ id }) => id)).size).toBeLessThan(2)
      expect(await folder.letters()).toEqual([])
      if (isDone) expect(step).toBeGreaterThan(3)
    }
  })
})

describe('forward that is killed', () => {
  test('behavior: once a message is a dead letter, the next run does not send it again', async () => {
    await using world = await createWorld()
    const { server, receiver, folder } = world
    receiver.answerWith(refuse(400))
    const options = { from: server.url, target: webhookTo(receiver.url), folder: folder.path }
    const through = (state: State): State => ({
      ...state,
      addDeadLetter(letter) {
        state.addDeadLetter(letter)
        throw new Error('killed')
      },
    })
    const first = await startForward({ ...options, through })
    expect(await first.ended.catch(String)).toBe('Error: killed')
    await using second = await startForward(options)
    await until(() => second.outcomes.length === 3)
    expect([namesOf(receiver.all), receiver.all.length]).toEqual([allNames(0), 4])
  })

  test('behavior: before and after every write, and run again: each event once but for the one under way', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    await attest(chain, 4)
    await using server = startStreamServer(chain)
    const isDead = (index: number) => index === 1 || index === 4

    /** Fails at a step; without one, counts the steps. */
    async function run(atStep: number): Promise<number> {
      using folder = createForwardFolder()
      await using receiver = startReceiver(({ body: { type, data } }) => {
        const status = type === 'attested' && isDead(data.log_index) ? 400 : 200
        return new Response(null, { status })
      })
      const isAtEnd = () => folder.position().endsWith('.f2.a6')
      const options = { from: server.url, target: webhookTo(receiver.url), folder: folder.path }
      const { through, steps } = createDyingState(atStep)
      const first = await startForward({ ...options, through })
      if (atStep === Number.POSITIVE_INFINITY) await until(isAtEnd).then(first.stop)
      else expect(await first.ended.catch(String)).toBe('Error: killed')
      const second = await startForward(options)
      await until(isAtEnd)
      await second.stop()
      const letters = await folder.letters()
      expect(namesOf(letters.map(({ id, body }) => ({ id, body: JSON.parse(body) })))).toEqual([
        `a1 ${B}`,
        `a4 ${A}`,
      ])
      expect(namesOf(receiver.all)).toEqual(allNames(4))
      expect(receiver.all.length).toBeLessThanOrEqual(8 + 1)
      return steps()
    }
    const steps = await run(Number.POSITIVE_INFINITY)
    // The start position, a position for each event, and two dead letters: before and after each.
    expect(steps).toBe(2 * (1 + 8 + 2))
    for (let step = 0; step < steps; step++) await run(step)
  })
})
