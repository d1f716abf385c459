import { expect, test } from 'bun:test'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import {
  createManualClock,
  createStreamServer,
  type Listener,
  listenTo,
  type ManualClock,
  type StreamServer,
  settle,
} from './streamWorld.ts'

/** Number of killed connections: a sample by default, more in `.ci/run`. */
const STREAM_KILLS = Number(process.env.STREAM_KILLS ?? 100)
const SEED = seedOf({ name: 'STREAM_SEED', file: 'tests/server/stream/randomStreams', usual: 17 })
const FEEDS = 4
const SERVERS = 3
const CONSUMERS = 6

/** The identity of an event. */
type Seen = `${string} ${number} ${string}`

/** All events so far, in the order of each log. */
interface Log {
  attested: Seen[]
  registered: Seen[]
}

const seenOf = ({ log, log_index, feed_id, amount }: Record<string, unknown>): Seen =>
  `${log} ${Number(log_index)} ${feed_id}${amount === null ? '' : ` ${amount}`}`

/** A reader that reconnects to any server, from its position. */
interface Consumer {
  ids: readonly string[]
  listener: Listener | null
  position: string
  seen: Seen[]
  resets: number
}

/** Processes the received part of its connection, and drops the connection on demand. */
function collect(consumer: Consumer, from: { taken: number }): void {
  const { listener } = consumer
  for (const { id, event, data } of listener?.blocks.slice(from.taken) ?? []) {
    if (event === 'reset') {
      consumer.position = data.position
      consumer.seen = []
      consumer.resets += 1
    } else if (data !== undefined) consumer.seen.push(seenOf(data))
    if (id !== undefined) consumer.position = id
  }
  from.taken = listener?.blocks.length ?? 0
}

interface World {
  chain: RegistryChain
  log: Log
  clock: ManualClock
  servers: StreamServer[]
}

function createServers(chain: RegistryChain, clock: ManualClock): StreamServer[] {
  return Array.from({ length: SERVERS }, () => createStreamServer(chain, clock))
}

/** The events that a consumer must have seen, from the start of its stream to the end of the log. */
function expectedOf(
  log: Log,
  start: string,
  ids: readonly string[],
): { registered: Seen[]; attested: Seen[] } {
  const [, feed = '0', attestation = '0'] = /\.f(\d+)\.a(\d+)$/.exec(start) ?? []
  const isWanted = (seen: Seen) => ids.length === 0 || ids.includes(seen.split(' ')[2] ?? '')
  return {
    registered: log.registered.slice(Number(feed)).filter(isWanted),
    attested: log.attested.slice(Number(attestation)).filter(isWanted),
  }
}

test(
  `behavior: ${STREAM_KILLS} connections are killed; nothing is lost, doubled or out of order`,
  async () => {
    const random = createRandom(SEED)
    const below = (end: number) => Math.floor(random() * end)
    const clock = createManualClock()
    const chain = await createRegistryChain({ feeds: FEEDS })
    const log: Log = {
      registered: Array.from(
        { length: FEEDS },
        (_, index): Seen => `FeedRegistry ${index} ${testFeedId(index)}`,
      ),
      attested: Array.from(
        { length: FEEDS },
        (_, index): Seen => `AttestationRegistry ${index} ${testFeedId(index)} ${BigInt(index) * 1_000_003n}`,
      ),
    }
    const world: World = { chain, log, clock, servers: createServers(chain, clock) }
    /** The present state of each server's node, which only advances. */
    const shown = world.servers.map(() => chain.stateRootHash())
    const consumers: (Consumer & { start: string; from: { taken: number } })[] = []
    let amount = 10_000_000n

    async function connect(consumer: (typeof consumers)[number]): Promise<void> {
      const ids = consumer.ids.map((id) => `id=${id}&`).join('')
      const server = world.servers[below(SERVERS)]
      if (server === undefined) throw new Error('there is no server')
      const from = consumer.position === '' ? '' : `from=${consumer.position}`
      consumer.from.taken = 0
      const opening = listenTo(server, `?${ids}${from}`)
      // If its server does not have that position yet, the server holds it until it does.
      let opened: Listener | null = null
      opening.then((listener) => {
        opened = listener
      })
      await settle(20)
      while (opened === null) await moveServers()
      const listener = await opening
      consumer.listener = listener
      expect(listener.status).toBe(200)
      if (consumer.position !== '') return
      while (listener.lastId() === null) await settle(1)
      consumer.start = listener.lastId() ?? ''
    }

    async function moveServers(): Promise<void> {
      for (const [index, server] of world.servers.entries())
        if (random() < 0.6) {
          shown[index] = chain.stateRootHash()
          server.answerWith(chain.answerAsOf(shown[index] ?? ''))
        }
      await settle(10)
      clock.advance(1_000)
      await settle(10)
    }

    async function makeBlock(): Promise<void> {
      for (let count = below(4); count > 0; count--) {
        const id = testFeedId(below(FEEDS))
        if (random() < 0.15) {
          chain.register(id, { description: `changed ${amount}` })
          log.registered.push(`FeedRegistry ${log.registered.length} ${id}`)
        }
        amount += 1n
        chain.attest(id, { amount })
        log.attested.push(`AttestationRegistry ${log.attested.length} ${id} ${amount}`)
      }
      await chain.advance()
    }

    for (let index = 0; index < CONSUMERS; index++) {
      const ids = index % 3 === 0 ? [] : [...new Set([testFeedId(below(FEEDS)), testFeedId(below(FEEDS))])]
      consumers.push({
        ids,
        listener: null,
        position: '',
        seen: [],
        resets: 0,
        start: '',
        from: { taken: 0 },
      })
    }
    for (const consumer of consumers) await connect(consumer)

    for (let kills = 0; kills < STREAM_KILLS; ) {
      if (random() < 0.3) await makeBlock()
      await moveServers()
      for (const consumer of consumers) {
        const { listener } = consumer
        const chance = random()
        if (listener?.hasEnded() || chance < 0.15) {
          collect(consumer, consumer.from)
          await listener?.leave()
          await connect(consumer)
          kills += 1
        } else if (chance < 0.3) listener?.pause(chance < 0.22)
      }
      if (random() < 0.02) {
        const index = below(SERVERS)
        world.servers[index]?.streams.stop()
        world.servers[index] = createStreamServer(chain, clock, chain.answerAsOf(shown[index] ?? ''))
      }
    }

    for (const [index, server] of world.servers.entries()) {
      shown[index] = chain.stateRootHash()
      server.answerWith(chain.answer)
    }
    for (const consumer of consumers) {
      consumer.listener?.pause(false)
      const isDone = () => {
        collect(consumer, consumer.from)
        const { registered, attested } = expectedOf(log, consumer.start, consumer.ids)
        return consumer.seen.length >= registered.length + attested.length
      }
      while (!isDone()) {
        await settle(10)
        clock.advance(1_000)
        if (!consumer.listener?.hasEnded()) continue
        collect(consumer, consumer.from)
        await connect(consumer)
      }
    }
    await settle()
    for (const consumer of consumers) {
      collect(consumer, consumer.from)
      const { registered, attested } = expectedOf(log, consumer.start, consumer.ids)
      const of = (name: string) => consumer.seen.filter((seen) => seen.startsWith(name))
      expect({ seed: SEED, registered: of('FeedRegistry'), attested: of('AttestationRegistry') }).toEqual({
        seed: SEED,
        registered,
        attested,
      })
      expect([consumer.resets, consumer.seen.length]).toEqual([0, registered.length + attested.length])
    }
  },
  STREAM_KILLS * 2_000 + 120_000,
)
