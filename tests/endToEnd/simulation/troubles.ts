import type { Chance } from './chance.ts'
import type { EiaFault, NetworkNode } from './network.ts'
import { pause } from './network.ts'
import { cutPrices } from './priceDataset.ts'
import type { Trouble } from './truth.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from './world.ts'

type NodeFault = readonly [name: string, fail: (node: NetworkNode, chance: Chance) => void]

const puts = { methods: ['account_put_transaction'] }

const nodeFaults: readonly NodeFault[] = [
  ['refuses', ({ faults }) => faults.refuse()],
  ['lags', ({ faults }, chance) => faults.lag(Math.ceil(chance.between(0, 4)))],
  ['accepts and never includes', ({ faults }) => faults.withhold()],
  ['drops requests', ({ faults }) => faults.drop('request')],
  ['drops answers to transactions', ({ faults }) => faults.drop('answer', puts)],
  ['refuses transactions', ({ faults }) => faults.refuse(puts)],
  ['hangs', (node) => void Object.assign(node, { isHanging: true })],
  ['is slow', (node, chance) => void Object.assign(node, { delayMs: chance.between(500, 6_000) })],
]

/** Ends all faults of a node. */
export function heal(node: NetworkNode): void {
  node.faults.clear()
  Object.assign(node, { isHanging: false, delayMs: 0 })
}

const throttle = (seconds: string): EiaFault => {
  const headers = { 'retry-after': seconds }
  return () => new Response('', { status: 429, headers })
}

const overRate = { error: { code: 'OVER_RATE_LIMIT', message: 'slow down' } }

const invalidKey = { error: { code: 'API_KEY_INVALID', message: 'An invalid api_key was supplied.' } }

const eiaFaults: readonly (readonly [name: string, fault: EiaFault, trouble: Trouble])[] = [
  ['breaks connections', null, 'EIA down'],
  ['answers 500', () => Response.json({ error: 'Internal error', code: 500 }, { status: 500 }), 'EIA down'],
  ['answers a page', () => new Response('<html>gone</html>', { status: 502 }), 'EIA down'],
  ['asks for patience', throttle('20'), 'EIA throttles'],
  ['asks for more patience than it gets', throttle('900'), 'EIA throttles'],
  ['says OVER_RATE_LIMIT', () => Response.json(overRate, { status: 403 }), 'EIA throttles'],
  ['refuses the key', () => Response.json(invalidKey, { status: 403 }), 'key refused'],
]

/** Repeats a trouble with this average interval, in hours, until troubles are over. */
async function repeat(
  world: World,
  name: string,
  hours: number,
  trouble: (chance: Chance) => Promise<void>,
): Promise<void> {
  const chance = world.chance(name)
  while (!world.isOver()) {
    await pause(chance.until(hours * HOUR_MS))
    if (!world.isOver()) await trouble(chance)
  }
}

async function failNode({ tell, truth }: World, node: NetworkNode, chance: Chance): Promise<void> {
  const [name, fail] = chance.pick(nodeFaults)
  tell('node fault', `${node.url} ${name}`)
  fail(node, chance)
  truth.set(node.trouble, true)
  await pause(chance.happens(0.1) ? chance.between(HOUR_MS, 5 * HOUR_MS) : chance.until(15 * MINUTE_MS))
  heal(node)
  truth.set(node.trouble, false)
  tell('node healed', node.url)
}

/** One node lags for hours, and answers last because the other is away for minutes. Afterwards the other must be asked. */
async function lag({ tell, network, truth }: World, chance: Chance): Promise<void> {
  const lagging = chance.pick(network.nodes)
  const others = network.nodes.filter((node) => node !== lagging)
  const blocks = Math.ceil(chance.between(20, 200))
  tell('node lags and answers last', `${lagging.url} by ${blocks} blocks`)
  lagging.faults.lag(blocks)
  for (const { faults, trouble } of others) {
    faults.refuse()
    truth.set(trouble, true)
  }
  await pause(chance.between(MINUTE_MS, 10 * MINUTE_MS))
  for (const node of others) {
    heal(node)
    truth.set(node.trouble, false)
  }
  await pause(chance.between(HOUR_MS, 8 * HOUR_MS))
  heal(lagging)
  tell('node lags no more', lagging.url)
}

async function cutOff({ tell, network, truth }: World, chance: Chance): Promise<void> {
  tell('network down')
  network.cut(true)
  truth.set('network down', true)
  await pause(chance.happens(0.5) ? chance.until(20 * MINUTE_MS) : chance.between(HOUR_MS, 5 * HOUR_MS))
  network.cut(false)
  truth.set('network down', false)
  tell('network up')
}

async function stopBlocks({ tell, network, truth }: World, chance: Chance): Promise<void> {
  tell('no blocks')
  network.stall(true)
  truth.set('no blocks', true)
  await pause(chance.between(2 * MINUTE_MS, 20 * MINUTE_MS))
  network.stall(false)
  truth.set('no blocks', false)
  tell('blocks again')
}

async function failEia({ tell, network, truth }: World, chance: Chance): Promise<void> {
  const [name, fault, trouble] = chance.pick(eiaFaults)
  tell('EIA fault', name)
  network.failEia(fault)
  truth.set(trouble, true)
  const isLong = trouble === 'key refused' || chance.happens(0.1)
  await pause(isLong ? chance.between(HOUR_MS, 8 * HOUR_MS) : chance.until(30 * MINUTE_MS))
  network.failEia(undefined)
  truth.set(trouble, false)
  tell('EIA healed')
}

/** The most that the agent's clock is fast. */
export const FASTEST_MS = 6 * HOUR_MS

async function setClock({ tell, setSkew, truth }: World, chance: Chance): Promise<void> {
  const ms = chance.pick([3_000, 5_000, 9_000, 40_000, FASTEST_MS, -3 * HOUR_MS])
  tell('clock wrong', `by ${ms} ms`)
  setSkew(ms)
  // A difference below 30 s is not a trouble.
  truth.set('clock wrong', Math.abs(ms) > 30_000)
  await pause(chance.between(HOUR_MS, 12 * HOUR_MS))
  setSkew(0)
  truth.set('clock wrong', false)
  tell('clock right')
}

const LIFETIME_MS = 5 * MINUTE_MS

/** The clock is fast when the agent creates its state folder, and right an hour later. */
export async function setFirstClock({ tell, setSkew, truth }: World): Promise<void> {
  tell('clock wrong', `by ${FASTEST_MS} ms, at the first start`)
  setSkew(FASTEST_MS)
  truth.set('clock wrong', true)
  truth.set('state new', true)
  void (async () => {
    await pause(HOUR_MS)
    setSkew(0)
    truth.set('clock wrong', false)
    tell('clock right')
    await pause(LIFETIME_MS)
    truth.set('state new', false)
  })()
}

const LEFT_MOTES = 2_000_000_000n

/** Thanksgiving and New Year, when the newest periods of the daily dataset reach over days without prices. */
const HOLIDAYS = [
  [Date.UTC(2027, 10, 25), Date.UTC(2027, 11, 3)],
  [Date.UTC(2027, 11, 23), Date.UTC(2028, 0, 7)],
] as const

/** Whether a trouble that lasts for so long hides how holidays are attested. A shorter one than a day does not. */
const hidesHolidays = (sinceMs: number, ms: number): boolean =>
  ms > DAY_MS && HOLIDAYS.some(([from, to]) => sinceMs < to && sinceMs + ms > from)

async function spend({ tell, network, getBalance, truth, now }: World, chance: Chance): Promise<void> {
  tell('low balance')
  network.hideMotes((await getBalance()) - LEFT_MOTES)
  truth.set('low balance', true)
  const ms = chance.happens(0.1)
    ? chance.between(8 * DAY_MS, 9 * DAY_MS)
    : chance.between(HOUR_MS, 12 * HOUR_MS)
  await pause(hidesHolidays(now(), ms) ? HOUR_MS : ms)
  network.hideMotes(0n)
  truth.set('low balance', false)
  tell('filled up')
}

async function blockArchive({ tell, blockArchive, truth }: World, chance: Chance): Promise<void> {
  tell('archive blocked')
  blockArchive(true)
  truth.set('archive blocked', true)
  await pause(chance.between(HOUR_MS, 12 * HOUR_MS))
  blockArchive(false)
  truth.set('archive blocked', false)
  tell('archive usable')
}

async function fill({ tell, disk, truth }: World, chance: Chance): Promise<void> {
  tell('disk full')
  disk.fill(true)
  truth.set('disk full', true)
  await pause(chance.between(HOUR_MS, 12 * HOUR_MS))
  disk.fill(false)
  truth.set('disk full', false)
  tell('disk has space')
}

/** EIA publishes nothing, as in a government shutdown. */
async function close(world: World, chance: Chance): Promise<void> {
  const ms = chance.between(DAY_MS, 20 * DAY_MS)
  if (hidesHolidays(world.now(), ms)) return
  world.closedUntil = world.now() + ms
  world.tell('EIA publishes nothing', `until ${new Date(world.closedUntil).toISOString()}`)
  await pause(world.closedUntil - world.now())
}

/** The operator edits a feed so that it is another series. */
async function editFacets({ tell, eia, writeFeeds, isOver }: World, chance: Chance): Promise<void> {
  const siblings = eia.feeds.filter(({ config }) => config.route === 'invented/production')
  const feed = chance.pick(siblings)
  const other = siblings.find((each) => each !== feed) ?? feed
  tell('feed edited', `${feed.config.feed_id} to be ${other.config.feed_id}`)
  feed.edits = { facets: other.config.facets }
  writeFeeds()
  await pause(chance.between(2 * HOUR_MS, 40 * HOUR_MS))
  feed.edits = {}
  if (!isOver()) writeFeeds()
  tell('feed as before', feed.config.feed_id)
}

/** Another agent with the same key attests values that are already on chain. */
async function writeElsewhere({ tell, eia, attestElsewhere, truth }: World, chance: Chance): Promise<void> {
  const feed = chance.pick(eia.feeds)
  if (!(await attestElsewhere(feed))) return
  tell('another writer', feed.config.feed_id)
  feed.isDoubledElsewhere = true
  truth.set('other writer', true)
  await pause(20 * HOUR_MS)
  feed.isDoubledElsewhere = false
  truth.set('other writer', false)
}

async function changeUnit({ tell, eia }: World, chance: Chance): Promise<void> {
  const feed = chance.pick(eia.feeds)
  tell('unit change', `${feed.config.feed_id} ${eia.changeUnit(feed)}`)
}

const deadly = ['signed', 'written', 'accepted', 'pending', 'settled', 'removed'] as const

async function restart(world: World, chance: Chance): Promise<void> {
  await endAgent(world, chance)
  world.truth.set('agent down', true)
  await pause(downFor(chance))
  if (world.isOver()) return
  await world.agent.start()
  world.truth.set('agent down', false)
  world.tell('start')
}

/** How long the agent is down: seconds with a supervisor, occasionally half a day. */
function downFor(chance: Chance): number {
  if (chance.happens(0.5)) return chance.between(1_000, 15_000)
  return chance.happens(0.2) ? chance.between(HOUR_MS, 14 * HOUR_MS) : chance.until(20 * MINUTE_MS)
}

async function endAgent({ agent, tell, isOver }: World, chance: Chance): Promise<void> {
  if (chance.happens(0.4)) {
    tell('stop', `${agent.pending()} pending`)
    return agent.stop()
  }
  const step = chance.happens(0.3) ? null : chance.pick(deadly)
  if (step === null) agent.kill()
  else agent.killAt(step)
  while (agent.isRunning && !isOver()) await pause(10_000)
  tell('kill', `${step ?? 'at any moment'}, ${agent.pending()} pending`)
}

/** Starts all troubles other than EIA's releases. */
export function beginTroubles(world: World): void {
  const begin = (name: string, hours: number, trouble: (world: World, chance: Chance) => Promise<void>) =>
    void repeat(world, name, hours, (chance) => trouble(world, chance))
  for (const node of world.network.nodes) begin(node.url, 6, (_, chance) => failNode(world, node, chance))
  begin('lag', 30, lag)
  begin('network', 60, cutOff)
  begin('blocks', 30, stopBlocks)
  begin('eia', 8, failEia)
  begin('clock', 20, setClock)
  begin('balance', 36, spend)
  begin('unit', 24, changeUnit)
  begin('archive', 60, blockArchive)
  if (world.disk.canFill) begin('disk', 40, fill)
  begin('edit', 90, editFacets)
  begin('writer', 100, writeElsewhere)
  begin('closed', 40 * 24, close)
  begin('prices', 60, cutPrices)
  begin('restart', 7, restart)
}
