import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createFolder } from '@wattfeed/testing/folder'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { testFeedId } from 'wattfeed/testing/registryChain'
import {
  hasVarnish,
  nginxSite,
  startVarnish,
  varnishConfig,
  varnishCounters,
} from '../deploy/support/proxies.ts'
import type { Daemon } from '../support/daemon.ts'
import { nextLook } from '../support/nextLook.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { type Attested, type ChainProcess, startChain } from './chain.ts'
import {
  type Front,
  openStream,
  type Read,
  readFeed,
  type StreamClient,
  startReaders,
  startStreamClient,
} from './clients.ts'
import { createReplica, type Replica } from './replica.ts'

/** Number of disturbances: a few by default, 20 in `.ci/run`, 200 in `bun run soak`. */
const DISTURBANCES = Number(process.env.DISTURBANCES ?? 6)
/** A failed run prints its seed and its disturbances. */
const SEED = seedOf({ name: 'SCALE_SEED', file: 'tests/scale/replicas', usual: 19 })

const CLIENTS = 50
const FEEDS = 6
const BLOCKS = 5
const SERVERS = 3

/** Maximum calls for a state root: one per process while no answer comes, one for later requests, and a reserve. */
const MAX_ROOT_CALLS = 16 + 1 + 3
/** Maximum calls for a block or an event: the logs' lengths; the event, the feed's value, and its index in the history. */
const CALLS_A_CHANGE = 6
/** Number of blocks that a node lags. */
const LAG_BLOCKS = 5
/** The deadline of everything, so that nothing is left behind. */
const DEADLINE_MS = 300_000 + 20_000 * DISTURBANCES

setDefaultTimeout(DEADLINE_MS + 60_000)

const feedIds = Array.from({ length: FEEDS }, (_, index) => testFeedId(index))

/** Three servers of one chain, behind both proxies. */
interface World extends AsyncDisposable {
  chain: ChainProcess
  replicas: readonly Replica[]
  front: Front
  /** Returns the number of requests that Varnish has passed on to servers. */
  passedOn(): Promise<number>
  /** Waits until Varnish counts every server as ready. */
  settle(signal: AbortSignal): Promise<void>
}

async function createWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const { path: cwd } = stack.use(createFolder())
  const chain = stack.use(await startChain({ seed: SEED, feeds: FEEDS, nodes: SERVERS }))
  const settings = { STREAM_POLL_MS: '200', LOG_LEVEL: 'error' }
  const replicas: Replica[] = []
  for (const chainSettings of chain.settings) {
    const replica = await createReplica({ ...chainSettings, ...settings }, cwd)
    replicas.push(stack.use(replica))
  }
  await Promise.all(replicas.map((replica) => replica.start()))
  const ports = replicas.map(({ port }) => port)
  const varnish = stack.use(await startVarnish(varnishConfig({ servers: ports, probeIntervalS: 0.2 })))
  const servers = ports.map((port) => `127.0.0.1:${port}`)
  const reads = [`unix:${varnish.socket}`]
  const front = stack.use(await startNginx((listen) => nginxSite({ listen, servers, reads })))
  const owned = stack.move()
  return {
    chain,
    replicas,
    front,
    async passedOn() {
      const requests = Object.values(await varnishCounters(varnish, 'VBE.*.req'))
      return Number(requests.reduce((sum, count) => sum + count, 0n))
    },
    settle: (signal) => settled(varnish, signal),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function settled(varnish: Daemon, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const probes = Object.values(await varnishCounters(varnish, 'VBE.*.happy'))
    // The last probe is the lowest bit.
    if (probes.length === SERVERS && probes.every((happy) => (happy & 7n) === 7n)) return
    await nextLook()
  }
}

/** The disturbances of a server; each is over when it resolves. */
type Disturbance = (world: World, index: number, during: () => Promise<void>) => Promise<void>

const replicaAt = ({ replicas }: World, index: number): Replica => {
  const replica = replicas[index]
  if (replica === undefined) throw new Error('there is no such server')
  return replica
}

const disturbances: Readonly<Record<string, Disturbance>> = {
  async killed(world, index, during) {
    const replica = replicaAt(world, index)
    await replica.crash()
    await during()
    await replica.start()
  },
  async paused(world, index, during) {
    const replica = replicaAt(world, index)
    replica.pause()
    await during()
    replica.resume()
  },
  async 'standing still'({ chain }, index, during) {
    await chain.lag(index, 0)
    await during()
    await chain.lag(index, null)
  },
  async 'fallen back'({ chain }, index, during) {
    await chain.lag(index, LAG_BLOCKS)
    await during()
    await chain.lag(index, null)
  },
  async 'started while its node lags'(world, index, during) {
    await world.chain.lag(index, LAG_BLOCKS)
    await replicaAt(world, index).upgrade()
    await during()
    await world.chain.lag(index, null)
  },
  async upgraded(world, index, during) {
    const upgrade = replicaAt(world, index).upgrade()
    await Promise.all([upgrade, during()])
  },
}

const eventOf = ({ feed_id, amount }: Attested, index: number): string => `${index} ${feed_id} ${amount}`

/** A feed's state after a number of attestations. */
function amountAt(log: readonly Attested[], { feed_id, attestations }: Read): string | undefined {
  return log.slice(0, attestations).findLast((each) => each.feed_id === feed_id)?.amount
}

describe.skipIf(!hasNginx || !hasVarnish)('three servers behind nginx and Varnish', () => {
  let world: World
  /** The disturbances so far. */
  const told: string[] = []
  const load = { seed: SEED, feedIds }

  const openStreams = (count: number, signal: AbortSignal): StreamClient[] =>
    Array.from({ length: count }, (_, index) =>
      startStreamClient(world.front, { signal, byHeader: index % 2 === 0 }),
    )

  /** Runs a function with a signal that aborts everything when the function ends or its time is up. */
  async function inTime(run: (signal: AbortSignal, leave: () => void) => Promise<void>): Promise<void> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(new Error('time is up')), DEADLINE_MS)
    const leave = (): void => controller.abort('done')
    try {
      await run(controller.signal, leave)
    } catch (error) {
      console.error(`SCALE_SEED=${SEED} DISTURBANCES=${DISTURBANCES}`, told)
      throw error
    } finally {
      clearTimeout(timer)
      leave()
    }
  }

  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each([
    [5, 5],
    // Bun sends 256 requests at once.
    [CLIENTS, 150],
  ])(
    'behavior: of %i streams and %i reads at once, nodes see the calls of four processes',
    (streams, reads) =>
      inTime(async (signal) => {
        const { chain, front } = world
        const clients = openStreams(streams, signal)
        await until(() => clients.every(({ isOpen }) => isOpen), signal)
        // Data that is read only once, and by Varnish for all waiting clients, is read before calls are counted.
        for (const feedId of feedIds) expect(await readFeed(front, feedId, signal)).toBe(200)
        const [before, first] = [await chain.calls(), (await chain.log()).length]
        let length = first
        let roots = 0
        for (let block = 0; block < BLOCKS; block++) {
          length = await chain.attest()
          await until(() => clients.every(({ seen }) => seen.at(-1)?.startsWith(`${length - 1} `)), signal)
          await chain.hold()
          const start = await chain.calls()
          const arrived = (await world.passedOn()) + reads
          const statuses = Array.from({ length: reads }, (_, index) =>
            readFeed(front, feedIds[index % FEEDS] ?? '', signal),
          )
          while ((await world.passedOn()) < arrived) {
            signal.throwIfAborted()
            await nextLook()
          }
          await chain.release()
          expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
          roots += (await chain.calls()).roots - start.roots
        }
        expect(roots).toBeLessThanOrEqual(BLOCKS * SERVERS * MAX_ROOT_CALLS)
        const changes = BLOCKS + length - first
        const others = (await chain.calls()).others - before.others
        expect(others).toBeLessThanOrEqual(SERVERS * changes * CALLS_A_CHANGE)
      }),
  )

  test('behavior: once servers that failed are back, every stream is taken', () =>
    inTime(async (signal) => {
      const status = async (): Promise<number> => (await openStream(world.front, signal)).status
      for (const replica of world.replicas) await replica.crash()
      const failed = await Promise.all(world.replicas.map(status))
      for (const replica of world.replicas) await replica.start()
      const taken = await Promise.all(Array.from({ length: CLIENTS }, status))
      expect([new Set(failed), new Set(taken)]).toEqual([new Set([503]), new Set([200])])
      await world.settle(signal)
    }))

  test(`default: ${DISTURBANCES} disturbances: no read fails twice, no event is lost or doubled`, () =>
    inTime(async (signal, leave) => {
      const random = createRandom(SEED)
      const below = (end: number): number => Math.floor(random() * end)
      const clients = openStreams(CLIENTS, signal)
      await until(() => clients.every(({ isOpen }) => isOpen), signal)
      const begin = (await world.chain.log()).length
      const readers = startReaders(world.front, { ...load, readers: CLIENTS, signal, pauseMs: 40 })
      // While all readers wait for a hanging server, time passes.
      const during = (): Promise<void> => readers.progress(2 * CLIENTS, 1_500)
      let isOver = false
      const attesting = (async () => {
        while (!isOver && !signal.aborted) {
          await world.chain.attest()
          await readers.progress(CLIENTS, 200)
        }
      })()
      for (let count = 0; count < DISTURBANCES; count++) {
        const index = below(SERVERS)
        const [name, disturb] = Object.entries(disturbances)[below(Object.keys(disturbances).length)] ?? []
        told.push(`server ${index} ${name}`)
        await disturb?.(world, index, during)
        await world.settle(signal)
      }
      isOver = true
      await attesting
      const log = await world.chain.log()
      const expected = log.slice(begin).map((each, index) => eventOf(each, begin + index))
      await until(() => clients.every(({ seen }) => seen.at(-1) === expected.at(-1)), signal)
      leave()
      await Promise.all([readers.ended, ...clients.map(({ ended }) => ended)])
      for (const { seen } of clients) expect(seen).toEqual(expected)
      const { failed, reads } = readers.report
      expect(failed).toEqual([])
      // An answer holds the chain's state at the version that it names.
      expect(reads.filter((read) => read.amount !== amountAt(log, read))).toEqual([])
    }))
})

async function until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
  while (!isSo()) {
    signal.throwIfAborted()
    await nextLook()
  }
}
