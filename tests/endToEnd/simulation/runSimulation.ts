import { memberAt } from '@wattfeed/base'
import { type Devnet, protocols } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'
import { trackFiles } from '../../support/fileTime.ts'
import type { VirtualTime } from '../../support/virtualTime.ts'
import { createAgentDisk } from './agentDisk.ts'
import { AUDIT_MS } from './alarms.ts'
import type { Auditor } from './auditor.ts'
import type { BootedChain } from './bootChain.ts'
import { START_MS } from './feedKinds.ts'
import { pause } from './network.ts'
import { createNotes, type Notes } from './notes.ts'
import { type OpenWorld, openWorld } from './openWorld.ts'
import { blunder, publish, revise, withdraw } from './people.ts'
import { publishPrices } from './priceDataset.ts'
import { beginTroubles, heal, setFirstClock } from './troubles.ts'
import { troubles } from './truth.ts'
import { DAY_MS, HOUR_MS, mendUnit, type World } from './world.ts'

const [newestProtocol] = protocols

/** Time to catch up after all troubles. */
const LAST_MS = 6 * HOUR_MS

export interface SimulationOptions {
  days: number
  seed: number
  booted: BootedChain
  time: VirtualTime
  /** The folder of a disk for the agent's files, which is full at times; null for a disk that is never full. */
  diskFolder: string | null
}

/** The events and the violations. Texts start with their simulated time. */
export interface Simulation {
  violations: readonly string[]
  /** Oldest first. */
  script: readonly string[]
  /** Number of occurrences of each event. */
  counts: Readonly<Record<string, number>>
  /** The digest of the chain's values. */
  digest: string
}

/** Runs the agent for some days against the invented EIA, then compares the chain with it. */
export async function runSimulation(options: SimulationOptions): Promise<Simulation> {
  const { seed, booted, time } = options
  await time.reset()
  time.setWall(START_MS)
  using _files = trackFiles(time)
  using folder = createFolder()
  using ownFolder = createFolder()
  const disk = createAgentDisk(options.diskFolder ?? ownFolder.path, options.diskFolder !== null)
  const notes = createNotes(time)
  const devnet = booted.devnet.fork({ now: time.trueMs })
  const parts = openWorld({ seed, booted, devnet, time, folder, disk, notes })
  const { world, witness } = parts
  const before = await world.getBalance()
  await time.settle(Promise.all([live(parts, options.days, notes), upgrade(devnet, options.days, notes)]))
  const spent = before - (await world.getBalance())
  if (spent !== witness.chargedMotes)
    notes.object(`the account spent ${spent} motes, and its transactions charged ${witness.chargedMotes}`)
  const { transactions, attestations } = witness
  const { days } = options
  const { length: feeds } = world.eia.feeds
  const digest = witness.digest()
  return { ...notes, digest, counts: { ...notes.counts, days, feeds, transactions, attestations } }
}

async function live(
  { world, witness, auditor, setOver }: OpenWorld,
  days: number,
  { object }: Notes,
): Promise<void> {
  const { agent, eia } = world
  world.writeFeeds()
  world.blockArchive(false)
  await setFirstClock(world)
  await startAgent(world)
  for (const feed of eia.feeds)
    void [publish(world, feed), revise(world, feed), withdraw(world, feed), blunder(world, feed)]
  void publishPrices(world)
  beginTroubles(world)
  const audits = keepAuditing(auditor)
  await pause(days * DAY_MS)
  setOver()
  await end(world)
  await pause(LAST_MS)
  audits.end()
  witness.compare(world.readArchive())
  await world.prices.compare()
  await auditor.look({ isLast: true })
  await agent.stop()
  if (agent.pending() > 0) object(`${agent.pending()} transactions are pending`)
}

/** Upgrades the network in the middle of the run. */
async function upgrade(devnet: Devnet, days: number, { tell, object }: Notes): Promise<void> {
  await pause((days / 2) * DAY_MS)
  tell('upgrade', `from era ${devnet.upgrade()} on`)
  await pause((days / 2) * DAY_MS)
  const status = await devnet.call('info_get_status')
  const version = memberAt(status, 'result', 'protocol_version')
  if (version !== newestProtocol) object(`the network runs protocol ${version}, not ${newestProtocol}`)
}

/** Compares health with the model repeatedly. */
function keepAuditing(auditor: Auditor): { end(): void } {
  let isEnded = false
  const keep = async (): Promise<void> => {
    for (;;) {
      await pause(AUDIT_MS)
      if (isEnded) return
      await auditor.look()
    }
  }
  void keep()
  return {
    end() {
      isEnded = true
    },
  }
}

async function startAgent({ agent, truth }: World): Promise<void> {
  truth.set('agent down', true)
  await agent.start()
  truth.set('agent down', false)
}

/** Ends all troubles and makes sure that the agent runs. */
async function end(world: World): Promise<void> {
  const { eia, network, truth, setSkew, writeFeeds, blockArchive, disk } = world
  for (const node of network.nodes) heal(node)
  for (const each of troubles) truth.set(each, false)
  network.failEia(undefined)
  network.stall(false)
  network.cut(false)
  network.hideMotes(0n)
  setSkew(0)
  eia.settle()
  world.prices.cut(false)
  for (const feed of eia.feeds) {
    mendUnit(feed)
    feed.edits = {}
  }
  disk.fill(false)
  blockArchive(false)
  writeFeeds()
  world.agent.killAt(null)
  // It polls every feed at once.
  await world.agent.stop()
  await startAgent(world)
}
