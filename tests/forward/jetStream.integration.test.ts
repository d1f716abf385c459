import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { errorOf } from '@wattfeed/testing/errorOf'
import { spellings } from '@wattfeed/testing/secrets'
import fc from 'fast-check'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createJetStream, type JetStreamOptions } from '../../src/forward/jetStream.ts'
import { replayDeadLetters } from '../../src/forward/replayDeadLetters.ts'
import { openState } from '../../src/forward/state.ts'
import { subjectOf } from '../../src/forward/subject.ts'
import type { ForwardTarget } from '../../src/forward/target.ts'
import { createTestLog } from '../server/testApp.ts'
import { createForwardFolder, nameOf, startForward, startStreamServer, until } from './forwardWorld.ts'
import { hasNats, type Nats, password, startNats } from './natsServer.ts'

const [A, B] = [testFeedId(0), testFeedId(1)]

const targetOf = (url: string, options: Partial<JetStreamOptions> = {}): ForwardTarget => {
  const target = createJetStream({
    url: new URL(url),
    creds: null,
    stream: 'wattfeed',
    feeds: null,
    timeoutMs: 10_000,
    log: createTestLog().log,
    ...options,
  })
  return { ...target, patience: { ...target.patience, minPauseMs: 1, maxPauseMs: 2 } }
}

async function attest(chain: RegistryChain, count: number): Promise<void> {
  for (let index = 0; index < count; index++) chain.attest(testFeedId(index % 2), { amount: BigInt(index) })
  await chain.advance()
}

const allNames = (attestations: number): string[] => [
  `f0 ${A}`,
  `f1 ${B}`,
  ...Array.from({ length: 2 + attestations }, (_, index) => `a${index} ${index % 2 === 0 ? A : B}`),
]

async function createWorld(attestations = 0) {
  const chain = await createRegistryChain({ feeds: 2 })
  if (attestations > 0) await attest(chain, attestations)
  const stack = new AsyncDisposableStack()
  const server = stack.use(startStreamServer(chain))
  const nats = stack.use(await startNats())
  const folder = stack.use(createForwardFolder())
  const names = async (stream?: string) => (await nats.stored(stream)).map(({ body }) => nameOf(body))
  return { chain, server, nats, folder, names, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

type World = Awaited<ReturnType<typeof createWorld>>

const start = ({ server, nats }: Pick<World, 'server' | 'nats'>, folder: string, options = {}) =>
  startForward({ from: server.url, folder, target: targetOf(nats.url(), options) })

/** Runs a forwarder until it has delivered this number of events. */
async function runFor(world: World, count: number, folder = world.folder.path): Promise<void> {
  const forward = await start(world, folder)
  await until(() => forward.outcomes.length === count)
  await forward.stop()
}

describe.skipIf(!hasNats)('NATS JetStream', () => {
  test('default: makes the stream, and publishes each event once, with its id, under a subject of its feed', async () => {
    await using world = await createWorld(2)
    const { nats, names } = world
    await runFor(world, 6)
    expect(await names()).toEqual(allNames(2))
    const stored = await nats.stored()
    expect(stored.map(({ subject }) => subject)).toEqual(
      stored.map(({ body }) => `wattfeed.${body.type}.${body.data.feed_id}`),
    )
    expect(stored.map(({ id }) => id)).toEqual(stored.map(({ body }) => body.id))
    const { config } = await nats.ask(({ streams }) => streams.info('wattfeed'))
    expect(config).toMatchObject({ subjects: ['wattfeed.>'], storage: 'file', retention: 'limits' })
  })

  test("behavior: without a stored position, continues after the stream's last message, even when ids are forgotten", async () => {
    await using world = await createWorld(2)
    const { nats, names, folder, chain, server } = world
    // NATS does not allow a shorter window.
    await nats.makeStream({ name: 'wattfeed', subjects: ['wattfeed.>'], duplicate_window: 100_000_000 })
    await runFor(world, 6)
    await untilForgotten(nats)
    rmSync(folder.path, { recursive: true })
    await attest(chain, 2)
    const target = targetOf(nats.url())
    const second = await startForward({ from: server.url, folder: folder.path, target, isFromStart: false })
    await until(() => second.outcomes.length === 2)
    await second.stop()
    expect(await names()).toEqual(allNames(4))
  })

  /** Waits until the ids of all earlier messages are out of the window. */
  async function untilForgotten(nats: Nats): Promise<void> {
    const probe = { name: 'probe', subjects: ['probe'], duplicate_window: 100_000_000 }
    await nats.makeStream(probe)
    await nats.publish('probe', '', 'one')
    while (await nats.publish('probe', '', 'one'));
  }

  test('behavior: of the stored position and the stream, the later one counts', async () => {
    await using world = await createWorld(2)
    const { nats, names, folder, chain } = world
    await runFor(world, 6)
    // Its messages may have expired.
    await nats.ask(({ streams }) => streams.purge('wattfeed'))
    await attest(chain, 1)
    await runFor(world, 1)
    expect(await names()).toEqual(allNames(3).slice(-1))
    using older = createForwardFolder()
    const position = folder.position().replace(/-[0-9a-f]{8}\.f2\.a\d+$/, '-00000000.f0.a0')
    {
      using state = openState(older.path)
      state.savePosition(position)
    }
    await attest(chain, 1)
    await runFor(world, 1, older.path)
    expect(await names()).toHaveLength(2)
  })

  test('behavior: a server that is killed and started again is waited for, and nothing is lost or doubled', async () => {
    await using world = await createWorld()
    const { nats, names, chain, folder } = world
    const forward = await start(world, folder.path)
    await until(() => forward.outcomes.length === 4)
    await nats.kill()
    await attest(chain, 4)
    await until(() => forward.lines.some(({ level }) => level === 'warn'))
    await nats.start()
    await until(() => forward.outcomes.length === 8)
    await nats.restart()
    await attest(chain, 2)
    await until(() => forward.outcomes.length === 10)
    await forward.stop()
    expect(await names()).toEqual(allNames(6))
  })

  test('behavior: a stream that is deleted meanwhile is created again, and the following events arrive', async () => {
    await using world = await createWorld()
    const { nats, names, chain, folder } = world
    const forward = await start(world, folder.path)
    await until(() => forward.outcomes.length === 4)
    await nats.ask(({ streams }) => streams.delete('wattfeed'))
    await attest(chain, 2)
    await until(() => forward.outcomes.length === 6)
    await forward.stop()
    expect(forward.outcomes.map(({ outcome }) => outcome)).toEqual(Array(6).fill('delivered'))
    expect(await names()).toEqual(allNames(2).slice(-2))
  })

  test('behavior: one that does not exist yet is waited for', async () => {
    await using world = await createWorld()
    const { nats, names, folder } = world
    await nats.kill()
    const forward = await start(world, folder.path)
    await until(() => forward.lines.some(({ level }) => level === 'warn'))
    await nats.start()
    await until(() => forward.outcomes.length === 4)
    await forward.stop()
    expect(await names()).toEqual(allNames(0))
  })

  test('behavior: two forwarders at once publish each event once, in order', async () => {
    await using world = await createWorld()
    const { names, folder, chain, nats } = world
    await nats.makeStream({ name: 'wattfeed', subjects: ['wattfeed.>'], duplicate_window: 100_000_000 })
    using other = createForwardFolder()
    const both = [await start(world, folder.path), await start(world, other.path)]
    for (let round = 0; round < 10; round++) {
      await attest(chain, 4)
      await until(() => {
        const total = both.flatMap(({ outcomes }) => outcomes.map(({ message }) => message.id))
        return new Set(total).size === 4 + 4 * (round + 1)
      })
    }
    for (const forward of both) await forward.stop()
    expect(await names()).toEqual(allNames(40))
  })

  test('behavior: a lost answer does not double its message, even after the deduplication window', async () => {
    await using world = await createWorld(2)
    const { names, folder, nats, server } = world
    await nats.makeStream({ name: 'wattfeed', subjects: ['wattfeed.>'], duplicate_window: 100_000_000 })
    const target = targetOf(nats.url())
    let calls = 0
    const forgetful: ForwardTarget = {
      ...target,
      async deliver(message, after) {
        const moved = await target.deliver(message, after)
        // The answer to every second message is lost, and a new connection does not know the message.
        if (calls++ % 2 === 1) return moved
        await target[Symbol.asyncDispose]()
        await nats.ask(({ streams }) => streams.info('wattfeed'))
        return target.deliver(message, after)
      },
    }
    const forward = await startForward({ from: server.url, folder: folder.path, target: forgetful })
    await until(() => forward.outcomes.length === 6)
    await forward.stop()
    expect(await names()).toEqual(allNames(2))
  })

  test('behavior: messages of other publishers in the stream are ignored', async () => {
    await using world = await createWorld()
    const { names, folder, chain, nats } = world
    await nats.makeStream({ name: 'wattfeed', subjects: ['wattfeed.>', 'else'] })
    const forward = await start(world, folder.path)
    await until(() => forward.outcomes.length === 4)
    await nats.publish('else', '{"type":"e","data":{}}')
    await attest(chain, 1)
    await until(() => forward.outcomes.length === 5)
    await forward.stop()
    expect((await names()).filter((name) => !name.startsWith('eundefined'))).toEqual(allNames(1))
  })

  test('behavior: a reset is a message, and the following events arrive', async () => {
    await using world = await createWorld(2)
    const { names, folder, nats } = world
    await runFor(world, 6)
    const other = await createRegistryChain({ feeds: 2, startMs: 1_750_000_000_000 })
    await attest(other, 4)
    await using server = startStreamServer(other)
    const { log, lines } = createTestLog()
    const forward = await start({ server, nats }, folder.path, { log })
    await until(() => forward.outcomes.length === 9)
    await forward.stop()
    const all = await nats.stored()
    expect(all[6]?.subject).toBe('wattfeed.reset')
    // NATS still has the ids of the old chain's feeds, but the values of the new chain have other ids.
    expect((await names()).slice(6)).toEqual(['reset log', ...allNames(4).slice(2)])
    expect(lines.map(({ message }) => message)).toEqual(Array(2).fill('message is already in the stream'))
  })

  test('error: a message that NATS does not take is a dead letter, which a replay sends', async () => {
    await using world = await createWorld(2)
    const { names, folder, nats, server, chain } = world
    await nats.makeStream({ name: 'wattfeed', subjects: ['wattfeed.>'], max_msg_size: 100 })
    const forward = await start(world, folder.path)
    await until(() => forward.outcomes.length === 6)
    await forward.stop()
    expect(forward.outcomes.map(({ outcome, attempts }) => [outcome, attempts])).toEqual(
      Array(6).fill(['dead_letter', 1]),
    )
    await nats.ask(({ streams }) => streams.update('wattfeed', { max_msg_size: -1 }))
    await attest(chain, 2)
    await runFor(world, 2)
    const { log } = createTestLog()
    const { signal: stop } = new AbortController()
    const target = targetOf(nats.url())
    using state = openState(folder.path)
    const options = { target, state, log, stop, onOutcome: () => {} }
    expect(await replayDeadLetters(options)).toEqual({ delivered: 6, kept: 0 })
    await target[Symbol.asyncDispose]()
    expect(await names()).toEqual([...allNames(4).slice(-2), ...allNames(2)])
    // The replay has not reset the stream's position.
    using fresh = createForwardFolder()
    const next = await startForward({ from: server.url, folder: fresh.path, target: targetOf(nats.url()) })
    await until(() => next.lines.some(({ message }) => message === 'resuming'))
    await next.stop()
    expect([next.lines[0]?.fields, next.outcomes]).toEqual([
      { target: nats.host(), position: folder.position() },
      [],
    ])
  })

  test('error: a permanent failure ends it; the message has the fix and no password', async () => {
    await using world = await createWorld()
    const { folder, nats } = world
    await nats.makeStream({ name: 'other', subjects: ['taken.>', 'elsewhere'] })
    await nats.makeStream({ name: 'foreign', subjects: ['foreign.>'] })
    await nats.publish('foreign.a', '')
    const wrong = nats.url().replace(password, 'wr0ng')
    const failed = async (url: string, options = {}) => {
      const target = targetOf(url, options)
      const forward = await startForward({ from: world.server.url, folder: folder.path, target })
      const error = await errorOf(forward.ended)
      await target[Symbol.asyncDispose]()
      expect(spellings(error)).not.toMatch(/wr0ng|pa55word/)
      return error.message.replace(nats.host(), 'HOST')
    }
    expect(await failed(wrong)).toBe(
      'the target HOST rejected the connection: Authorization Violation; check the user, NATS_CREDS, and that JetStream is enabled',
    )
    expect(await failed(nats.url(), { stream: 'taken' })).toBe(
      `the target HOST cannot create the stream "taken" (subjects overlap with an existing stream); create it manually: nats stream add taken --subjects 'taken.>' --defaults`,
    )
    expect(await failed(nats.url(), { stream: 'other' })).toBe(
      'the target HOST has a stream "other" without the subject other.>; add it, or use another --stream',
    )
    expect(await failed(nats.url(), { stream: 'foreign' })).toBe(
      'the target HOST has messages in "foreign" that no forwarder wrote; use another --stream',
    )
  })

  test('error: forwarders of different feeds do not share a stream', async () => {
    await using world = await createWorld()
    const { folder, chain, names } = world
    using other = createForwardFolder()
    await runFor(world, 4)
    const one = await start(world, other.path, { feeds: [A] })
    await until(() => one.lines.some(({ message }) => message === 'resuming'))
    // One: the event after the one that both send may already be in flight.
    await attest(chain, 1)
    await until(() => one.outcomes.length === 1)
    const two = await start(world, folder.path)
    expect((await errorOf(two.ended)).message).toContain('use a different --stream for each')
    await two[Symbol.asyncDispose]()
    const three = await start(world, folder.path, { feeds: [B] })
    expect((await errorOf(three.ended)).message).toContain('use a different --stream for each')
    await three[Symbol.asyncDispose]()
    await one.stop()
    expect(await names()).toEqual([...allNames(0), `a2 ${A}`])
  })
})

describe('subjectOf', () => {
  const of = (feedId: string) => subjectOf('w', { type: 'attested', feedId })

  test.each([
    ['EIA.PET.PRICE.WTI.DAILY', 'w.attested.EIA.PET.PRICE.WTI.DAILY'],
    ['a b', 'w.attested.a%20b'],
    ['*.>', 'w.attested.%2A.%3E'],
    ['.a..b.', 'w.attested.%2Ea.%2Eb%2E'],
    ['100%', 'w.attested.100%25'],
    ['価', 'w.attested.%E4%BE%A1'],
    ['', 'w.attested.%'],
    ['.', 'w.attested.%2E'],
    ['\n\0', 'w.attested.%0A%00'],
  ])('default: %p is %s', (id, subject) => {
    expect(of(id)).toBe(subject)
  })

  test('behavior: any two ids have two subjects that NATS takes', () => {
    const id = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('.', '%', '2', 'E', 'a') }),
    )
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(of(one)).toMatch(/^[^\s*>]+$/)
        expect(of(one).split('.')).not.toContain('')
        expect(of(one) === of(other)).toBe(one === other)
      }),
    )
  })

  test('behavior: an id of any length has one that fits the protocol', () => {
    const long = (end: string) => of(`${'x'.repeat(5_000)}${end}`)
    expect(long('a')).toMatch(/^w\.attested\.%[0-9a-f]{64}$/)
    expect(long('a')).not.toBe(long('b'))
  })
})
