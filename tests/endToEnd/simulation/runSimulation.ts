import { writeFileSync } from 'node:fs'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import { createFolder } from '../../agent/support/keys.ts'
import { balanceOf } from '../../support/devnetBlocks.ts'
import { trackFiles } from '../../support/fileTime.ts'
import { createRandom } from '../../support/random.ts'
import type { VirtualTime } from '../../support/virtualTime.ts'
import { type AgentRuns, createAgentRuns } from './agentRuns.ts'
import type { BootedChain } from './bootChain.ts'
import { createEiaModel, type EiaModel, type ModelFeed, overAt, START_MS } from './eiaModel.ts'
import { createNetwork, hosts, type Network, type NetworkNode, pause } from './network.ts'
import { createWitness, type Witness } from './witness.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The longest interval between two polls, with its jitter, and some time to catch up. */
const LAST_MS = 1.1 * DAY_MS + 3 * HOUR_MS
const CSPR = 1_000_000_000n

export interface SimulationOptions {
  days: number
  seed: number
  booted: BootedChain
  time: VirtualTime
}

/** What happened, and what must not have. */
export interface Simulation {
  /** Each with its simulated time. */
  violations: readonly string[]
  /** What happened, oldest first, each with its simulated time. */
  script: readonly string[]
  /** How often what happened. */
  counts: Readonly<Record<string, number>>
}

/** All that goes on at once. */
interface World {
  random: (purpose: string) => Chance
  /** Notes what happens. */
  tell: (what: string, text?: string) => void
  isOver: () => boolean
  eia: EiaModel
  network: Network
  agent: AgentRuns
  time: VirtualTime
  /** Writes the feeds file. */
  writeFeeds: (text?: string) => void
  devnet: BootedChain['devnet']
}

/** Runs the agent for some days against the invented EIA, and compares the chain with it. */
export async function runSimulation({ days, seed, booted, time }: SimulationOptions): Promise<Simulation> {
  await time.reset()
  time.setWall(START_MS)
  using _files = trackFiles(time)
  using folder = createFolder()
  const violations: string[] = []
  const script: string[] = []
  const counts: Record<string, number> = {}
  const stamp = (text: string) => `${new Date(time.trueMs()).toISOString().slice(0, 19)} ${text}`
  const count = (what: string, by = 1) => {
    counts[what] = (counts[what] ?? 0) + by
  }
  const object = (violation: string) => void violations.push(stamp(violation))
  const devnet = booted.devnet.fork({ now: time.trueMs })
  const random: World['random'] = (purpose) => createChance(createRandom(Bun.hash.crc32(`${seed} ${purpose}`)))
  const eia = createEiaModel(random('eia').random)
  const onBlock = (hashes: readonly string[]) => void time.track(witness.look(hashes).catch((error) => object(`${error}`)))
  const network = createNetwork({ devnet, eia, time, random: random('network').random, onBlock })
  const feeds = eia.feeds.map(({ config }) => config)
  const witness: Witness = createWitness({ devnet, network, feeds, packages: booted.packages, object })
  const [account] = devnet.accounts
  const publicKey = account?.publicKey ?? ''
  const feedsFile = `${folder.path}/feeds.json`
  const environment = {
    EIA_API_KEY: 'any',
    EIA_BASE_URL: hosts.eia,
    FEEDS_FILE: feedsFile,
    ATTESTER_KEY_PATH: folder.write('key.pem', account?.secretKeyPem ?? ''),
    AGENT_PORT: '0',
    CASPER_RPC_URL: hosts.nodes.join(','),
    CASPER_CHAIN_NAME: devnet.chainName,
    FEED_REGISTRY_PACKAGE_HASH: booted.packages.FeedRegistry,
    ATTESTATION_REGISTRY_PACKAGE_HASH: booted.packages.AttestationRegistry,
  }
  let over = false
  const repairs = new Set<ModelFeed>()
  const onOutcome = (outcome: FeedOutcome) => {
    count(outcome.error === null ? 'decided' : `error ${'code' in outcome.error ? outcome.error.code : outcome.error}`)
    count('caught up', outcome.caughtUp.length)
    count('revised', outcome.revised.length)
    if (outcome.error === null && outcome.transactionHash === null) return
    const { feedId, decision, period, error, caughtUp, revised } = outcome
    script.push(stamp(`agent: ${feedId} ${decision ?? error?.message} ${period} ${caughtUp} ${revised}`))
  }
  const onLog = (level: string, fields: object, message: string) => {
    if (process.env.SIM_DEBUG) process.stderr.write(stamp(`${level} ${message} ${JSON.stringify(fields)}\n`))
    if (level !== 'info') script.push(stamp(`log: ${message} ${JSON.stringify(fields)}`))
  }
  const agent = createAgentRuns({
    folder: folder.path,
    environment,
    fetch: network.fetch,
    random: random('agent').random,
    onOutcome: (outcome) => {
      onOutcome(outcome)
      if (outcome.error !== null && 'code' in outcome.error && outcome.error.code === 'unit_changed')
        for (const feed of eia.feeds) if (feed.config.feed_id === outcome.feedId) void repair(world, repairs, feed)
    },
    onLog,
    object,
  })
  const world: World = {
    random,
    eia,
    network,
    agent,
    time,
    devnet,
    isOver: () => over,
    tell(what, text = '') {
      count(what)
      script.push(stamp(`${what} ${text}`))
      if (process.env.SIM_DEBUG) process.stderr.write(stamp(`${what} ${text}\n`))
    },
    writeFeeds: (text = JSON.stringify(eia.feeds.map(({ config }) => config))) => writeFileSync(feedsFile, text),
  }
  const before = await balanceOf(devnet, publicKey)

  async function live(): Promise<void> {
    world.writeFeeds()
    await agent.start()
    for (const feed of eia.feeds) void publish(world, feed)
    for (const trouble of troubles) void trouble(world)
    await pause(days * DAY_MS)
    over = true
    await end(world)
    await pause(LAST_MS)
    witness.compare(eia.feeds)
    for (const name of ['feed_failing', 'missing_periods', 'pending_transactions']) {
      const value = await agent.metric(`wattfeed_agent_${name}`)
      if (value !== 0) object(`${name} is ${value}`)
    }
    await agent.stop()
    if (agent.pending() > 0) object(`${agent.pending()} transactions are pending`)
  }

  await time.settle(live().catch((error) => object(`${error.stack}`)))
  const spent = before - (await balanceOf(devnet, publicKey))
  if (spent !== witness.chargedMotes) object(`the account spent ${spent}, and was charged ${witness.chargedMotes}`)
  count('transactions', witness.transactions)
  count('attestations', witness.attestations)
  return { violations, script, counts }
}

/** Ends all troubles; the agent runs. */
async function end({ eia, network, agent, time, writeFeeds }: World): Promise<void> {
  for (const node of network.nodes) heal(node)
  network.failEia(undefined)
  network.stall(false)
  network.hideMotes(0n)
  time.setSkew(0)
  eia.settle()
  for (const feed of eia.feeds) mendUnit(feed)
  writeFeeds()
  agent.killAt('never' as never)
  if (agent.isRunning) agent.reload()
  else await agent.start()
}

function heal(node: NetworkNode): void {
  node.faults.clear()
  Object.assign(node, { isHanging: false, delayMs: 0 })
}

function mendUnit(feed: ModelFeed): void {
  if (feed.unit !== null) feed.config = { ...feed.config, upstream_unit: feed.unit }
}

/** Some hours after the first alarm the operator has found out what the unit means. */
async function repair({ random, tell, isOver, writeFeeds, agent }: World, repairs: Set<ModelFeed>, feed: ModelFeed) {
  if (repairs.has(feed)) return
  repairs.add(feed)
  const chance = random(`repair ${feed.unit}`)
  await pause(chance.between(MINUTE_MS, 6 * HOUR_MS))
  if (!isOver() && chance.happens(0.3)) {
    tell('feeds file with a fault')
    writeFeeds('[{]')
    agent.reload()
    await pause(chance.between(MINUTE_MS, HOUR_MS))
  }
  repairs.delete(feed)
  if (isOver()) return
  mendUnit(feed)
  tell('feeds file repaired', feed.config.feed_id)
  writeFeeds()
  if (chance.happens(0.5)) agent.reload()
}

/** A source of chance that no other one disturbs. */
interface Chance {
  random: () => number
  /** A uniform number. */
  between(from: number, to: number): number
  /** How long until something that comes that often on average. */
  until(meanMs: number): number
  happens(probability: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
}

const createChance = (random: () => number): Chance => ({
  random,
  between: (from, to) => from + random() * (to - from),
  until: (meanMs) => -meanMs * Math.log(1 - random()),
  happens: (probability) => random() < probability,
  pick: (list) => list[Math.floor(random() * list.length)] ?? list[0],
})

/** EIA publishes a feed, now and then late and then several periods at once, and revises it. */
async function publish({ random, tell, isOver, eia }: World, feed: ModelFeed): Promise<void> {
  const id = feed.config.feed_id
  const chance = random(id)
  void revise({ random, tell, isOver, eia }, feed)
  let heldUntil = START_MS
  for (;;) {
    const due = overAt(feed)
    const lateMs = chance.between(MINUTE_MS, HOUR_MS)
    const at = due === null ? Date.now() + chance.until(20 * HOUR_MS) : due + lateMs
    if (chance.happens(0.04)) heldUntil = at + chance.between(2 * HOUR_MS, 30 * HOUR_MS)
    await pause(Math.max(0, Math.max(at, heldUntil) - Date.now()))
    if (isOver()) return
    tell('release', `${id} ${eia.release(feed)}`)
    if (chance.happens(0.2)) tell('revision', `${id} ${eia.revise(feed)}`)
  }
}

async function revise({ random, tell, isOver, eia }: Pick<World, 'random' | 'tell' | 'isOver' | 'eia'>, feed: ModelFeed) {
  const chance = random(`revise ${feed.config.feed_id}`)
  for (;;) {
    await pause(chance.until(12 * HOUR_MS))
    if (isOver()) return
    tell('revision', `${feed.config.feed_id} ${eia.revise(feed)}`)
  }
}

/** Repeats a trouble, which lasts for a while, about once in so many hours. */
function now_and_then(world: World, name: string, hours: number, trouble: (chance: Chance) => Promise<void>) {
  const chance = world.random(name)
  const go = async () => {
    for (;;) {
      await pause(chance.until(hours * HOUR_MS))
      if (world.isOver()) return
      await trouble(chance)
      if (world.isOver()) return
    }
  }
  return go()
}

const puts = { methods: ['account_put_transaction'] }

const nodeFaults: readonly [readonly [string, (node: NetworkNode, chance: Chance) => void], ...(readonly [string, (node: NetworkNode, chance: Chance) => void])[]] = [
  ['refuses', ({ faults }) => faults.refuse()],
  ['lags', ({ faults }, chance) => faults.lag(Math.ceil(chance.between(0, 4)))],
  ['withholds', ({ faults }) => faults.withhold()],
  ['drops requests', ({ faults }) => faults.drop('request')],
  ['drops answers to transactions', ({ faults }) => faults.drop('answer', puts)],
  ['refuses transactions', ({ faults }) => faults.refuse(puts)],
  ['hangs', (node) => void Object.assign(node, { isHanging: true })],
  ['is slow', (node, chance) => void Object.assign(node, { delayMs: chance.between(500, 6_000) })],
]

const eiaFaults: readonly [readonly [string, (() => Response) | null], ...(readonly [string, (() => Response) | null])[]] = [
  ['breaks connections', null],
  ['answers 500', () => Response.json({ error: 'Internal error', code: 500 }, { status: 500 })],
  ['answers a page', () => new Response('<html>gone</html>', { status: 502 })],
  ['asks for patience', () => new Response('', { status: 429, headers: { 'retry-after': '20' } })],
  ['asks for more patience than it gets', () => new Response('', { status: 429, headers: { 'retry-after': '900' } })],
  ['says OVER_RATE_LIMIT', () => Response.json({ error: { code: 'OVER_RATE_LIMIT', message: 'slow down' } }, { status: 403 })],
]

const nodeTrouble = (index: number) => (world: World) =>
  now_and_then(world, `node ${index}`, 6, async (chance) => {
    const node = world.network.nodes[index]
    if (node === undefined) return
    const [name, fail] = chance.pick(nodeFaults)
    world.tell('node fault', `node ${index} ${name}`)
    fail(node, chance)
    await pause(chance.happens(0.1) ? chance.between(HOUR_MS, 5 * HOUR_MS) : chance.until(15 * MINUTE_MS))
    heal(node)
    world.tell('node healed', `node ${index}`)
  })

const troubles: readonly ((world: World) => Promise<void>)[] = [
  nodeTrouble(0),
  nodeTrouble(1),
  (world) =>
    now_and_then(world, 'stall', 30, async (chance) => {
      world.tell('no blocks')
      world.network.stall(true)
      await pause(chance.between(2 * MINUTE_MS, 20 * MINUTE_MS))
      world.network.stall(false)
      world.tell('blocks again')
    }),
  (world) =>
    now_and_then(world, 'eia', 8, async (chance) => {
      const [name, fault] = chance.pick(eiaFaults)
      world.tell('EIA fault', name)
      world.network.failEia(fault)
      await pause(chance.until(30 * MINUTE_MS))
      world.network.failEia(undefined)
      world.tell('EIA is back')
    }),
  (world) =>
    now_and_then(world, 'clock', 20, async (chance) => {
      const ms = chance.pick([3_000, 5_000, 9_000, 40_000])
      world.tell('clock fast', `${ms}`)
      world.time.setSkew(ms)
      await pause(chance.between(HOUR_MS, 6 * HOUR_MS))
      world.time.setSkew(0)
      world.tell('clock right')
    }),
  (world) =>
    now_and_then(world, 'balance', 36, async (chance) => {
      world.tell('low balance')
      const [account] = world.devnet.accounts
      world.network.hideMotes((await balanceOf(world.devnet, account?.publicKey ?? '')) - 2n * CSPR)
      await pause(chance.between(HOUR_MS, 5 * HOUR_MS))
      world.network.hideMotes(0n)
      world.tell('filled up')
    }),
  (world) =>
    now_and_then(world, 'unit', 24, async (chance) => {
      const [first, ...others] = world.eia.feeds
      if (first === undefined) return
      const feed = chance.pick([first, ...others])
      world.tell('unit change', `${feed.config.feed_id} ${world.eia.changeUnit(feed)}`)
    }),
  (world) => now_and_then(world, 'restart', 7, (chance) => restart(world, chance)),
]

async function restart(world: World, chance: Chance): Promise<void> {
  const { agent, tell, isOver } = world
  if (chance.happens(0.4)) {
    tell('stop', `${agent.pending()} pending`)
    await agent.stop()
  } else if (chance.happens(0.3)) {
    tell('kill', `${agent.pending()} pending`)
    agent.kill()
  } else {
    const step = chance.pick(['signed', 'written', 'accepted', 'pending', 'settled', 'removed'] as const)
    agent.killAt(step)
    for (let minutes = 0; agent.isRunning && !isOver(); minutes++) await pause(MINUTE_MS)
    tell('kill', `at ${step}, ${agent.pending()} pending`)
  }
  await pause(chance.happens(0.15) ? chance.between(HOUR_MS, 14 * HOUR_MS) : chance.until(20 * MINUTE_MS))
  if (isOver()) return
  await agent.start()
  tell('start')
}
