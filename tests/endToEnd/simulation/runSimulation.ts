import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createAttestCall } from '../../../src/agent/outbox/attestCall.ts'
import type { Signer } from '../../../src/casper/transaction/signer.ts'
import { signTransaction } from '../../../src/casper/transaction/signTransaction.ts'
import { createFolder } from '../../agent/support/keys.ts'
import { putTransaction, signersOf } from '../../devnet/registries/sender.ts'
import { balanceOf } from '../../support/devnetBlocks.ts'
import { trackFiles } from '../../support/fileTime.ts'
import type { VirtualTime } from '../../support/virtualTime.ts'
import { type AgentRunsOptions, createAgentRuns } from './agentRuns.ts'
import { createAuditor } from './auditor.ts'
import type { BootedChain } from './bootChain.ts'
import { createChance } from './chance.ts'
import { createEiaModel } from './eiaModel.ts'
import { START_MS } from './feedKinds.ts'
import { createNetwork, hosts, pause } from './network.ts'
import { blunder, createOperator, publish, revise } from './people.ts'
import { beginTroubles, heal } from './troubles.ts'
import { createTruth, troubles } from './truth.ts'
import { createWitness } from './witness.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, mendUnit, type World } from './world.ts'

/** How often health is compared with the model. */
const AUDIT_MS = 10 * MINUTE_MS
/** To catch up once nothing is wrong any more. */
const LAST_MS = 6 * HOUR_MS

export interface SimulationOptions {
  days: number
  seed: number
  booted: BootedChain
  time: VirtualTime
}

/** What happened, and what must not have. Texts begin with their simulated time. */
export interface Simulation {
  violations: readonly string[]
  /** Oldest first. */
  script: readonly string[]
  /** How often what happened. */
  counts: Readonly<Record<string, number>>
}

/** Runs the agent for some days against the invented EIA, then compares the chain with it. */
export async function runSimulation(options: SimulationOptions): Promise<Simulation> {
  const { days, seed, booted, time } = options
  await time.reset()
  time.setWall(START_MS)
  using _files = trackFiles(time)
  using folder = createFolder()
  const notes = createNotes(time)
  const { object } = notes
  const chance: World['chance'] = (purpose) => createChance(seed, purpose)
  const devnet = booted.devnet.fork({ now: time.trueMs })
  const [{ publicKey, secretKeyPem } = { publicKey: '', secretKeyPem: '' }] = devnet.accounts
  const [signer] = await signersOf(devnet.accounts)
  if (signer === undefined) throw new Error('the chain has no account')
  const eia = createEiaModel(chance('eia'))
  const [feedsFile, archiveFile] = [`${folder.path}/feeds.json`, `${folder.path}/archive.jsonl`]
  const truth = createTruth(time.trueMs)
  const network = createNetwork({
    devnet,
    eia,
    time,
    random: chance('network').random,
    onBlock: (hashes) => void time.track(witness.look(hashes).catch((error) => object(`${error.stack}`))),
  })
  const witness = createWitness({
    devnet,
    network,
    packages: booted.packages,
    feeds: eia.feeds,
    object,
  })
  const agent = createAgentRuns({
    folder: folder.path,
    environment: {
      EIA_API_KEY: 'any',
      EIA_BASE_URL: hosts.eia,
      FEEDS_FILE: feedsFile,
      ARCHIVE_FILE: archiveFile,
      ATTESTER_KEY_PATH: folder.write('key.pem', secretKeyPem),
      AGENT_PORT: '0',
      CASPER_RPC_URL: hosts.nodes.join(','),
      CASPER_CHAIN_NAME: devnet.chainName,
      FEED_REGISTRY_PACKAGE_HASH: booted.packages.FeedRegistry,
      ATTESTATION_REGISTRY_PACKAGE_HASH: booted.packages.AttestationRegistry,
    },
    fetch: network.fetch,
    random: chance('agent').random,
    track: time.track,
    onOutcome(outcome) {
      notes.onOutcome(outcome)
      operator.hear(outcome)
    },
    onLog: notes.onLog,
    object,
  })
  let [isOver, isEnded] = [false, false]
  const world: World = {
    eia,
    network,
    agent,
    truth,
    closedUntil: 0,
    now: time.trueMs,
    chance,
    tell: notes.tell,
    isOver: () => isOver,
    setSkew: time.setSkew,
    getBalance: () => balanceOf(devnet, publicKey),
    writeFeeds(text) {
      truth.set('feeds file', text !== undefined)
      writeFileSync(
        feedsFile,
        text ?? JSON.stringify(eia.feeds.map(({ config, edits }) => ({ ...config, ...edits }))),
      )
    },
    fillDisk(isFull) {
      rmSync(archiveFile)
      symlinkSync(isFull ? '/dev/full' : `${archiveFile}.real`, archiveFile)
    },
    async attestElsewhere(feed) {
      const { latest } = witness.seen(feed)
      if (latest === null) return
      witness.excuse(feed)
      const { period, amount, source_hash: sourceHash } = latest
      const attested = [{ feedId: feed.config.feed_id, period, amount, sourceHash }]
      const { entryPoint, ...call } = createAttestCall(attested, { offersMany: true, paymentMotes: null })
      const target = { packageHash: booted.packages.AttestationRegistry, entryPoint }
      const terms = { chainName: devnet.chainName, timestamp: time.trueMs() }
      await time.track(send({ signer, target, ...call, ...terms }))
    },
  }
  async function send({ signer, ...call }: Parameters<typeof signTransaction>[1] & { signer: Signer }) {
    await putTransaction(devnet.call, (await signTransaction(signer, call)).transaction)
    network.planBlock()
  }
  const auditor = createAuditor({
    agent,
    object,
    known: () => ({ feeds: eia.feeds, truth, witness, nowMs: time.trueMs() }),
  })
  const operator = createOperator(world)
  const before = await world.getBalance()

  async function live(): Promise<void> {
    world.writeFeeds()
    symlinkSync(`${archiveFile}.real`, archiveFile)
    truth.set('agent down', true)
    await agent.start()
    truth.set('agent down', false)
    for (const feed of eia.feeds) void [publish(world, feed), revise(world, feed), blunder(world, feed)]
    void watchHealth()
    beginTroubles(world)
    await pause(days * DAY_MS)
    isOver = true
    await end(world)
    await pause(LAST_MS)
    witness.compare()
    await auditor.look({ isLast: true })
    isEnded = true
    await agent.stop()
    if (agent.pending() > 0) object(`${agent.pending()} transactions are pending`)
  }

  async function watchHealth(): Promise<void> {
    while (!isEnded) {
      await pause(AUDIT_MS)
      await auditor.look()
    }
  }

  await time.settle(live())
  const spent = before - (await world.getBalance())
  if (spent !== witness.chargedMotes)
    object(`the account spent ${spent} motes, and its transactions charged ${witness.chargedMotes}`)
  const { transactions, attestations } = witness
  return { ...notes, counts: { ...notes.counts, days, feeds: eia.feeds.length, transactions, attestations } }
}

/** Ends all troubles; the agent runs. */
async function end({ eia, network, agent, truth, setSkew, writeFeeds, fillDisk }: World): Promise<void> {
  for (const node of network.nodes) heal(node)
  for (const each of troubles) truth.set(each, false)
  network.failEia(undefined)
  network.stall(false)
  network.hideMotes(0n)
  setSkew(0)
  eia.settle()
  for (const feed of eia.feeds) {
    mendUnit(feed)
    feed.edits = {}
  }
  fillDisk(false)
  writeFeeds()
  agent.killAt(null)
  // It looks at every feed at once.
  await agent.stop()
  truth.set('agent down', true)
  await agent.start()
  truth.set('agent down', false)
}

interface Notes
  extends Simulation,
    Pick<World, 'tell'>,
    Pick<AgentRunsOptions, 'onOutcome' | 'onLog' | 'object'> {}

/** Creates the notes of what happens. */
function createNotes(time: Pick<VirtualTime, 'trueMs'>): Notes {
  const [violations, script]: string[][] = [[], []]
  const counts: Record<string, number> = {}
  const stamp = (text: string): string => `${new Date(time.trueMs()).toISOString().slice(0, 19)} ${text}`
  const note = (text: string): void => void script?.push(stamp(text))
  const count = (what: string, by = 1): void => {
    counts[what] = (counts[what] ?? 0) + by
  }
  return {
    violations: violations ?? [],
    script: script ?? [],
    counts,
    object: (violation) => void violations?.push(stamp(violation)),
    tell(what, details = '') {
      count(what)
      note(`${what} ${details}`)
    },
    onOutcome({ feedId, decision, period, error, caughtUp, revised, transactionHash }) {
      count(error === null ? `${decision}` : `error ${'code' in error ? error.code : error.name}`)
      count('caught up', caughtUp.length)
      count('revised', revised.length)
      if (error !== null || transactionHash !== null)
        note(`agent: ${feedId} ${decision ?? error?.message} ${period} +${caughtUp} ~${revised}`)
    },
    onLog(level, fields, message) {
      if (level !== 'info') note(`log: ${message} ${JSON.stringify(fields)}`)
    },
  }
}
