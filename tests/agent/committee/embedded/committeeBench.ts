import { decodeHex } from '@wattfeed/base'
import { loadSigner, type Signer } from '@wattfeed/casper/transaction'
import { type AnswerRpc, createDevnet, type Devnet, type DevnetOptions } from '@wattfeed/casper-devnet'
import { encodeHostCalls, type HostCall } from '@wattfeed/casper-devnet/testing/engine/hostCalls'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createSender } from '@wattfeed/casper-devnet/testing/sender'
import type { EiaRow } from '@wattfeed/eia'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { installRegistries, type Packages } from 'wattfeed/testing/installRegistries'
import { type NewAttestation, registerArguments } from '../../../../packages/wattfeed/src/registry/calls.ts'
import { Ballots } from '../../../../src/agent/committee/ballots.ts'
import type { CommitteeMember } from '../../../../src/agent/committee/member.ts'
import type { MemberEvent, Peers } from '../../../../src/agent/committee/memberState.ts'
import { openMember } from '../../../../src/agent/committee/openMember.ts'
import { shareFetches } from '../../../../src/agent/committee/shareFetches.ts'
import type { OutboxStep } from '../../../../src/agent/events.ts'
import { createArchive } from '../../../../src/agent/send/archive.ts'
import { openState, stateOf } from '../../../../src/agent/state/openState.ts'
import { readSettledBlocks } from '../../../../src/agent/state/settledBlocks.ts'
import { type FeedConfig, feedMetadata, type SeriesConfig } from '../../../../src/feeds/file/feedConfig.ts'
import { registerPaymentMotes } from '../../../../src/operator/feeds/register/registerPayment.ts'
import { datasetConfig } from '../../datasets/fakes.ts'
import { createFakeEia, feedOf, NOW, observeSettings, turn } from '../../run/fakes.ts'
import { viewsOf } from '../../support/openView.ts'
import { noDatasets } from '../noDatasets.ts'
import { noSides } from '../noSides.ts'

export const CHAIN_NAME = 'casper-net-1'
export const BLOCK_MS = 8_000
const STEP_MS = 4_000

export const feeds: readonly SeriesConfig[] = [feedOf('A'), feedOf('B'), feedOf('C')]
/** A dataset that is registered besides. */
export const dataset = datasetConfig({ dataset: { columns: ['value'], periods: null } })

/** A member of the bench, which is a process of its own in reality. */
export interface BenchMember {
  readonly name: string
  readonly signer: Signer
  readonly member: CommitteeMember
  readonly ballots: Ballots
  /** What it has done, in short. */
  readonly events: string[]
  readonly steps: OutboxStep[]
  /** Its rows at EIA, newest first, by series. A member may have others. */
  readonly rows: Record<string, EiaRow[]>
  /** The requests that it has sent to EIA. */
  readonly asked: readonly string[]
  /** Whether it answers others and is answered. */
  isConnected: boolean
  isRunning: boolean
  /** Ends it, as a kill would. */
  end(): Promise<void>
}

export interface CommitteeBench extends AsyncDisposable {
  readonly members: readonly BenchMember[]
  readonly devnet: Devnet
  /** Publishes a row of all feeds to all members. */
  publish(row: EiaRow): void
  /** Lets members find what is due, as their polls do. */
  find(...feedIds: string[]): void
  /** Lets time pass until something is true; throws if it takes more than ten minutes of the chain's time. */
  until(isTrue: () => boolean | Promise<boolean>): Promise<void>
  /** Lets time pass. */
  pass(ms: number): Promise<void>
  /** Reads what was attested for a feed, oldest first: `period amount`. */
  historyOf(feedId: string): Promise<string[]>
  /** Stops a member and opens it again on its state folder. */
  restart(index: number): Promise<void>
  time(): number
}

export interface CommitteeBenchOptions extends Pick<DevnetOptions, 'protocol'> {
  readonly threshold: number
  /** @default 5 */
  readonly members?: number
  /** @default true */
  readonly isFreshChain?: boolean
}

interface Booted {
  readonly devnet: Devnet
  readonly secretKeys: readonly string[]
  readonly packages: Packages
}

const START = NOW
const bootOnce = createBootOnce<Booted>()

interface BootOptions extends Pick<DevnetOptions, 'protocol'> {
  /** @default the feeds of the benches */
  registered?: readonly FeedConfig[]
}

/** Boots a chain with registered feeds, and an account with so many keys. Benches use forks of it. */
export const bootChain = (count: number, threshold: number, options: BootOptions = {}): Promise<Booted> =>
  bootOnce(JSON.stringify([threshold, count, options]), () => boot(count, threshold, options))

/** Creates members of one account on an embedded chain. They call each other in this process. */
export async function createCommitteeBench({
  threshold,
  members: count = 5,
  isFreshChain = true,
  ...options
}: CommitteeBenchOptions): Promise<CommitteeBench> {
  const booted = await bootChain(count, threshold, options)
  let time = START
  const devnet = booted.devnet.fork({ now: () => time })
  const folder = createFolder('in memory')
  const archives = new DisposableStack()
  const waits: { at: number; end: () => void }[] = []
  let underWay = 0

  /** Counts what is in progress, so that the bench can wait for it. */
  async function during<T>(work: () => Promise<T>): Promise<T> {
    underWay += 1
    try {
      return await work()
    } finally {
      underWay -= 1
    }
  }

  const answer: AnswerRpc = (method, params) => during(() => devnet.call(method, params))
  const account = devnet.accounts[0]?.publicKey ?? ''
  const signers = await signersFor(folder, booted.secretKeys, account)
  const keys = signers.map(({ keyHash }) => keyHash)
  const members: BenchMember[] = []

  function peersOf(index: number): Peers {
    const self = keys[index] ?? ''
    const reach = (key: string): BenchMember => {
      const [own, other] = [members[index], members[keys.indexOf(key)]]
      if (!own?.isConnected || !other?.isConnected || !other.isRunning) throw new Error('cannot be reached')
      return other
    }
    return {
      members: keys.filter((key) => key !== self),
      send: (key, transaction) => {
        const sent = structuredClone(transaction)
        return during(async () => reach(key).member.receive(sent))
      },
      announce(key, feedId) {
        during(async () => reach(key).member.announced(feedId)).catch(() => {})
      },
      ...noSides,
    }
  }

  async function open(index: number): Promise<BenchMember> {
    const signer = signers[index]
    if (signer === undefined) throw new Error(`there is no member ${index}`)
    const name = `m${index}`
    const stateDir = `${folder.path}/${name}`
    const rows = members[index]?.rows ?? {}
    const { eia, asked } = createFakeEia(({ facets }) => rows[String(facets.series)] ?? [])
    const events: string[] = []
    const steps: OutboxStep[] = []
    const life = new AbortController()
    const { signal: end } = life
    const wait = (ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        waits.push({ at: time + ms, end: resolve })
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    const file = openState(stateDir, { purpose: 'agent' })
    const state = stateOf(file, {
      chainName: CHAIN_NAME,
      contract: booted.packages.AttestationRegistry,
      account: signer.accountHash,
    })
    const rpc = rpcOf(answer)
    const nameOf = (key: string): string => `m${keys.indexOf(key)}`
    let unready = (): string | null => null
    const ballots = new Ballots({
      nameOf,
      keyHash: signer.keyHash,
      unready: () => unready(),
      patienceMs: 300_000,
      wait,
      stop: end,
    })
    const note = (event: MemberEvent): void => {
      ballots.hear(event)
      events.push('refusal' in event && event.refusal ? `${event.event} ${event.refusal.code}` : event.event)
    }
    const opened = await openMember({
      ...noDatasets,
      rpc,
      members: keys,
      recovery: new Set(),
      openView: viewsOf(
        {
          chainName: CHAIN_NAME,
          feedRegistryPackageHash: booted.packages.FeedRegistry,
          attestationRegistryPackageHash: booted.packages.AttestationRegistry,
        },
        answer,
        () => readSettledBlocks(state),
      ),
      feeds: () => feeds,
      settings: observeSettings({
        eia: shareFetches(eia, () => time),
        now: () => time,
        stop: end,
        chainName: CHAIN_NAME,
        accountHash: signer.accountHash,
        catchUp: 100,
      }),
      paymentMotes: null,
      signer,
      state,
      peers: peersOf(index),
      archive: archives.use(createArchive(`${stateDir}/archive.db`, { log: silent })),
      isFreshChain,
      now: () => time,
      onEvent: note,
      onExecuted: (transaction, executed) => ballots.noteExecuted(transaction, executed),
      log: silent,
      report: (event) => void (event.event === 'step' && steps.push(event.step)),
      pollMs: STEP_MS,
      wait,
      signal: end,
    })
    unready = opened.unready
    const { member } = opened
    await member.start()
    return {
      name,
      signer,
      member,
      ballots,
      events,
      steps,
      rows,
      asked,
      isConnected: true,
      isRunning: true,
      async end() {
        life.abort()
        await opened.drain()
        file[Symbol.dispose]()
      },
    }
  }

  for (const index of keys.keys()) members.push(await open(index))

  async function idle(): Promise<void> {
    for (let quiet = 0; quiet < 20; quiet++) {
      await turn()
      if (underWay > 0) quiet = 0
    }
  }

  async function step(): Promise<void> {
    time += STEP_MS
    if (time % BLOCK_MS < STEP_MS) devnet.produceBlock()
    for (const due of waits.filter(({ at }) => at <= time)) {
      waits.splice(waits.indexOf(due), 1)
      due.end()
    }
    await idle()
    for (const { member, isRunning } of members) if (isRunning) await member.tick()
    await idle()
  }

  return {
    members,
    devnet,
    time: () => time,
    publish(row) {
      for (const { rows } of members)
        for (const { facets } of feeds) {
          const name = String(facets.series)
          const others = (rows[name] ?? []).filter(({ period }) => period !== row.period)
          rows[name] = [row, ...others].sort((a, b) => (a.period < b.period ? 1 : -1))
        }
    },
    find(...feedIds) {
      for (const { member, isRunning } of members)
        if (isRunning) for (const feedId of feedIds) member.found(feedId)
    },
    async until(isTrue) {
      for (const end = time + 600_000; !(await isTrue()); ) {
        if (time > end)
          throw new Error(`still waiting: ${JSON.stringify(members.map(({ events }) => events))}`)
        await step()
      }
    },
    async pass(ms) {
      for (const end = time + ms; time < end; ) await step()
    },
    async historyOf(feedId) {
      const openView = viewsOf(
        {
          chainName: CHAIN_NAME,
          feedRegistryPackageHash: booted.packages.FeedRegistry,
          attestationRegistryPackageHash: booted.packages.AttestationRegistry,
        },
        devnet.call,
      )
      const { at } = await openView()
      const history: Pick<NewAttestation, 'period' | 'amount'>[] = await at.getValueHistory(feedId)
      return history.map(({ period, amount }) => `${period} ${amount}`)
    },
    async restart(index) {
      await idle()
      await members[index]?.end()
      members[index] = await open(index)
    },
    async [Symbol.asyncDispose]() {
      await idle()
      for (const each of members) await each.end()
      archives.dispose()
      folder[Symbol.dispose]()
    },
  }
}

async function signersFor(folder: Folder, secretKeys: readonly string[], account: string): Promise<Signer[]> {
  const signers: Signer[] = []
  for (const pem of secretKeys) signers.push((await loadSigner(folder.write('key.pem', pem), account)).signer)
  return signers
}

const silent = { info: () => {}, warn: () => {} }

const [DEPLOYMENT, KEY_MANAGEMENT] = [0, 1]

/** A chain with registered feeds, and an account with so many keys. */
async function boot(
  count: number,
  threshold: number,
  { registered = [...feeds, dataset], ...options }: BootOptions,
): Promise<Booted> {
  let time = START - 86_400_000
  const devnet = createDevnet({
    chainName: CHAIN_NAME,
    accounts: count,
    now: () => time++,
    blockTimeMs: 'manual',
    ...options,
  })
  using folder = createFolder()
  const secretKeys = devnet.accounts.map(({ secretKeyPem }) => secretKeyPem)
  const [first, ...others] = await signersFor(folder, secretKeys, devnet.accounts[0]?.publicKey ?? '')
  if (first === undefined) throw new Error('the chain has no accounts')
  const sender = createSender({
    answer: devnet.call,
    chainName: CHAIN_NAME,
    now: () => time++,
    produceBlock: devnet.produceBlock,
  })
  const packages = await installRegistries(sender, { signer: first, account: first.accountHash })
  const target = { packageHash: packages.FeedRegistry, entryPoint: 'register_feed' }
  const registrations = registered.map((feed) => {
    const metadata = feedMetadata(feed)
    return {
      signer: first,
      target,
      args: registerArguments(feed.feed_id, metadata),
      paymentMotes: registerPaymentMotes(feed.feed_id, metadata),
    }
  })
  const add = ({ keyHash }: Signer): HostCall => ({
    name: 'add_associated_key',
    args: [decodeHex(keyHash.replace('account-hash-', ''), 'hash'), 1],
  })
  const wasm = encodeHostCalls([
    ...others.map(add),
    { name: 'set_action_threshold', args: [KEY_MANAGEMENT, threshold] },
    { name: 'set_action_threshold', args: [DEPLOYMENT, threshold] },
  ])
  const session = { signer: first, target: { wasm }, args: {}, paymentMotes: 20_000_000_000n }
  for (const { errorMessage } of [...(await sender.send(registrations)), ...(await sender.send([session]))])
    if (errorMessage !== null) throw new Error(errorMessage)
  return { devnet, secretKeys, packages }
}
