import { existsSync, mkdirSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { defaultTerms, type Signer, signTransaction } from '@wattfeed/casper/transaction'
import type { Devnet } from '@wattfeed/casper-devnet'
import { balanceOf } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { putTransaction, signersOf } from '@wattfeed/casper-devnet/testing/sender'
import type { createFolder } from '@wattfeed/testing/folder'
import { createAttestCall } from '../../../src/agent/plan/attestCall.ts'
import { readSources } from '../../../src/agent/send/archiveDatabase.ts'
import type { VirtualTime } from '../../support/virtualTime.ts'
import type { AgentDisk } from './agentDisk.ts'
import { type AgentRuns, createAgentRuns } from './agentRuns.ts'
import { type Auditor, createAuditor } from './auditor.ts'
import type { BootedChain } from './bootChain.ts'
import { createChance } from './chance.ts'
import { createEiaModel, type ModelFeed } from './eiaModel.ts'
import { createNetwork, hosts, type Network } from './network.ts'
import type { Notes } from './notes.ts'
import { createOperator, type Operator } from './people.ts'
import { createPriceDataset } from './priceDataset.ts'
import { FASTEST_MS } from './troubles.ts'
import { createTruth, type Truth } from './truth.ts'
import { createWitness, type Witness } from './witness.ts'
import { HOUR_MS, MINUTE_MS, type World } from './world.ts'

/** A world and its observers. */
export interface OpenWorld {
  world: World
  witness: Witness
  auditor: Auditor
  /** Lets no new trouble start. */
  setOver(): void
}

export interface OpenWorldOptions {
  seed: number
  booted: BootedChain
  devnet: Devnet
  time: VirtualTime
  /** For the files that the agent reads. */
  folder: ReturnType<typeof createFolder>
  /** For the files that the agent writes. */
  disk: AgentDisk
  notes: Notes
}

/** Creates a world without any events yet. */
export function openWorld(options: OpenWorldOptions): OpenWorld {
  const { seed, booted, devnet, time, folder, disk, notes } = options
  const { object } = notes
  const { packages } = booted
  const chance: World['chance'] = (purpose) => createChance(seed, purpose)
  const eia = createEiaModel(chance('eia'))
  const { feeds } = eia
  const prices = createPriceDataset(chance('dataset'), object)
  const truth = createTruth(time.trueMs)
  const network = createNetwork({
    devnet,
    eia: { answer: (url) => prices.answer(url) ?? eia.answer(url) },
    time,
    random: chance('network').random,
    onBlock: (hashes) => void time.track(witness.look(hashes).catch((error) => object(`${error.stack}`))),
  })
  const witness = createWitness({
    devnet,
    network,
    packages,
    feeds,
    prices,
    nowMs: time.trueMs,
    toleranceMs: () => clockToleranceMs(truth, time.trueMs()),
    object,
  })
  const agent = openAgentRuns(options, network, { random: chance('agent').random, operator: () => operator })
  const [{ publicKey } = { publicKey: '' }] = devnet.accounts
  let isOver = false
  const world: World = {
    eia,
    prices,
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
      const entries = feeds.map(({ config, edits }) => ({ ...config, ...edits }))
      writeFileSync(feedsPath(folder.path), text ?? JSON.stringify([...entries, prices.config]))
    },
    blockArchive: (isBlocked) => disk.withSpace(() => blockArchive(archivePath(disk.folder), isBlocked)),
    disk,
    readArchive: () => new Set(readSources(archivePath(disk.folder)).keys()),
    attestElsewhere: (feed) => attestAgain(feed, options, { network, witness }),
  }
  const operator = createOperator(world)
  const known = () => ({ feeds, prices, truth, witness, nowMs: time.trueMs() })
  const auditor = createAuditor({ agent, object, known })
  const setOver = () => {
    isOver = true
  }
  return { world, witness, auditor, setOver }
}

/** The most that the clock is fast. Decisions from that time may be attested a little later. */
function clockToleranceMs(truth: Truth, nowMs: number): number {
  const spell = truth.spell(['clock wrong'])
  const isFast = spell !== null && nowMs < (spell.untilMs ?? nowMs) + HOUR_MS
  return (isFast ? FASTEST_MS : 0) + MINUTE_MS
}

const feedsPath = (folder: string): string => `${folder}/feeds.json`
const archivePath = (folder: string): string => `${folder}/archive.db`

/** Puts a folder in the place of the archive's file, or the file back. */
function blockArchive(path: string, isBlocked: boolean): void {
  const aside = `${path}.aside`
  if (isBlocked) {
    if (existsSync(path)) renameSync(path, aside)
    mkdirSync(path)
    return
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(path)
  if (existsSync(aside)) renameSync(aside, path)
}

function openAgentRuns(
  { booted, devnet, time, folder, disk, notes }: OpenWorldOptions,
  network: Network,
  { random, operator }: { random: () => number; operator: () => Operator },
): AgentRuns {
  const [{ secretKeyPem } = { secretKeyPem: '' }] = devnet.accounts
  return createAgentRuns({
    disk,
    environment: {
      EIA_API_KEY: 'any',
      EIA_BASE_URL: hosts.eia,
      FEEDS_FILE: feedsPath(folder.path),
      ARCHIVE_FILE: archivePath(disk.folder),
      ATTESTER_KEY_PATH: folder.write('key.pem', secretKeyPem),
      AGENT_PORT: '0',
      CASPER_RPC_URL: hosts.nodes.join(','),
      CASPER_CHAIN_NAME: devnet.chainName,
      FEED_REGISTRY_PACKAGE_HASH: booted.packages.FeedRegistry,
      ATTESTATION_REGISTRY_PACKAGE_HASH: booted.packages.AttestationRegistry,
    },
    fetch: network.fetch,
    random,
    track: time.track,
    onOutcome(outcome) {
      notes.onOutcome(outcome)
      operator().hear(outcome)
    },
    onLog: notes.onLog,
    object: notes.object,
  })
}

/** Attests a feed's newest value once more, like a second agent with another state folder. */
async function attestAgain(
  feed: ModelFeed,
  { booted, devnet, time }: OpenWorldOptions,
  { network, witness }: { network: Network; witness: Witness },
): Promise<boolean> {
  const { latest } = witness.seen(feed)
  const [signer] = await signersOf(devnet.accounts)
  if (latest === null || signer === undefined) return false
  const { period, amount, source_hash } = latest
  const attestations = [{ feed_id: feed.config.feed_id, period, amount, source_hash }]
  const { entryPoint, args, paymentMotes } = createAttestCall(attestations, {
    offersMany: true,
    paymentMotes: null,
  })
  const target = { packageHash: booted.packages.AttestationRegistry, entryPoint }
  const terms = { ...defaultTerms, chainName: devnet.chainName, timestamp: time.trueMs() }
  witness.expectRepeat(feed, latest)
  await time.track(send(signer, { target, args, paymentMotes, ...terms }))
  return true

  async function send(by: Signer, request: Parameters<typeof signTransaction>[1]): Promise<void> {
    const { transaction } = await signTransaction(by, request)
    await putTransaction(devnet.call, transaction)
    network.planBlock()
  }
}
