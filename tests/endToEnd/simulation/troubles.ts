import type { Chance } from './chance.ts'
import type { EiaFault, NetworkNode } from './network.ts'
import { pause } from './network.ts'
import { HOUR_MS, MINUTE_MS, type World } from './world.ts'

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

const eiaFaults: readonly (readonly [name: string, EiaFault])[] = [
  ['breaks connections', null],
  ['answers 500', () => Response.json({ error: 'Internal error', code: 500 }, { status: 500 })],
  ['answers a page', () => new Response('<html>gone</html>', { status: 502 })],
  ['asks for patience', throttle('20')],
  ['asks for more patience than it gets', throttle('900')],
  ['says OVER_RATE_LIMIT', () => Response.json(overRate, { status: 403 })],
]

/** Repeats a trouble about once in so many hours until all are over. */
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

async function failNode({ tell }: World, node: NetworkNode, chance: Chance): Promise<void> {
  const [name, fail] = chance.pick(nodeFaults)
  tell('node fault', `${node.url} ${name}`)
  fail(node, chance)
  await pause(chance.happens(0.1) ? chance.between(HOUR_MS, 5 * HOUR_MS) : chance.until(15 * MINUTE_MS))
  heal(node)
  tell('node healed', node.url)
}

async function stopBlocks({ tell, network }: World, chance: Chance): Promise<void> {
  tell('no blocks')
  network.stall(true)
  await pause(chance.between(2 * MINUTE_MS, 20 * MINUTE_MS))
  network.stall(false)
  tell('blocks again')
}

async function failEia({ tell, network }: World, chance: Chance): Promise<void> {
  const [name, fault] = chance.pick(eiaFaults)
  tell('EIA fault', name)
  network.failEia(fault)
  await pause(chance.until(30 * MINUTE_MS))
  network.failEia(undefined)
  tell('EIA healed')
}

async function setClock({ tell, setSkew }: World, chance: Chance): Promise<void> {
  const ms = chance.pick([3_000, 5_000, 9_000, 40_000])
  tell('clock fast', `${ms} ms`)
  setSkew(ms)
  await pause(chance.between(HOUR_MS, 6 * HOUR_MS))
  setSkew(0)
  tell('clock right')
}

const LEFT_MOTES = 2_000_000_000n

async function spend({ tell, network, getBalance }: World, chance: Chance): Promise<void> {
  tell('low balance')
  network.hideMotes((await getBalance()) - LEFT_MOTES)
  await pause(chance.between(HOUR_MS, 5 * HOUR_MS))
  network.hideMotes(0n)
  tell('filled up')
}

async function changeUnit({ tell, eia }: World, chance: Chance): Promise<void> {
  const feed = chance.pick(eia.feeds)
  tell('unit change', `${feed.config.feed_id} ${eia.changeUnit(feed)}`)
}

const deadly = ['signed', 'written', 'accepted', 'pending', 'settled', 'removed'] as const

async function restart(world: World, chance: Chance): Promise<void> {
  await endAgent(world, chance)
  await pause(downFor(chance))
  if (world.isOver()) return
  await world.agent.start()
  world.tell('start')
}

/** How long the agent is down: for seconds where something watches it, now and then for half a day. */
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

/** Begins everything that can go wrong beside EIA's releases. */
export function beginTroubles(world: World): void {
  const begin = (name: string, hours: number, trouble: (world: World, chance: Chance) => Promise<void>) =>
    void repeat(world, name, hours, (chance) => trouble(world, chance))
  for (const node of world.network.nodes) begin(node.url, 6, (_, chance) => failNode(world, node, chance))
  begin('blocks', 30, stopBlocks)
  begin('eia', 8, failEia)
  begin('clock', 20, setClock)
  begin('balance', 36, spend)
  begin('unit', 24, changeUnit)
  begin('restart', 7, restart)
}
