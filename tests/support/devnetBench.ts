import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { backOff, patience, patientSettings } from '@wattfeed/testing/patience'
import type { ClientOptions } from '../../packages/wattfeed/src/client/clientOptions.ts'
import { type Client, connect } from '../../packages/wattfeed/src/client/createClient.ts'
import { reviseNewest } from '../../src/demo/moveValues.ts'
import type { DatasetConfig, SeriesConfig } from '../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../src/feeds/file/loadFeeds.ts'
import { type OutcomeLine, parseLines } from '../agent/run/agentBench.ts'
import { wattfeed } from './binary.ts'
import { type DevnetChain, type DevnetChainOptions, startDevnetChain } from './devnetChain.ts'
import { type ProgramName, runDevnetProgram, startDevnetProgram } from './devnetPrograms.ts'
import { type Ended, type Program, type RunningProgram, type Settings, startProgram } from './program.ts'
import { ageState, pendingHashes } from './state.ts'
import { startTestUpstream, type TestUpstream } from './testUpstream.ts'

/** The flagship feeds, with future periods allowed, so that tests pass on any day. */
export const flagshipFeeds: readonly SeriesConfig[] = (await loadFeeds(null)).map((feed) => ({
  ...feed,
  allow_future: true,
}))

export const dailyFeeds = flagshipFeeds.filter(({ frequency }) => frequency === 'daily')

/** A chain, an upstream, and the programs that use them. */
export interface DevnetBench extends AsyncDisposable {
  chain: DevnetChain
  upstream: TestUpstream
  folder: Folder
  feeds: readonly SeriesConfig[]
  /** Shared by all programs. */
  settings: Settings
  /** Creates a client, by default of the chain's own node. */
  client(options?: ClientOptions): Client
  start(name: ProgramName, args?: readonly string[], settings?: Settings): RunningProgram
  run(name: ProgramName, args?: readonly string[], settings?: Settings): Promise<Ended>
  /** Runs `agent --once --json`. */
  attest(
    settings?: Settings,
    args?: readonly string[],
  ): Promise<{ exitCode: number; lines: OutcomeLine[]; stderr: string }>
  /** Starts the server on a free port. */
  serve(settings?: Settings): Promise<Program>
  /** Lists all attestations of the feeds: `feed period amount`. */
  attested(client?: Client): Promise<string[]>
  /** Publishes a value of every feed upstream, for a day. */
  publish(value: string, day: string): void
  /** Changes the newest value of every feed upstream a little. */
  revise(): void
  /** Lists the hashes of the agent's pending transactions, or of those of another state folder. */
  pending(stateDir?: string): string[]
}

export interface DevnetBenchOptions extends Pick<DevnetChainOptions, 'wasm' | 'directory' | 'protocol'> {
  /** Contents of the feeds file. @default the flagship feeds */
  feeds?: readonly SeriesConfig[]
  /** Feeds of datasets beside them. @default none */
  datasets?: readonly DatasetConfig[]
  /** Whether the feeds are registered too. @default true */
  isRegistered?: boolean
}

export async function createDevnetBench({
  feeds = flagshipFeeds,
  datasets = [],
  isRegistered = true,
  ...options
}: DevnetBenchOptions = {}): Promise<DevnetBench> {
  const folder = createFolder('in memory')
  const chain = await startDevnetChain({ ...options, feeds: isRegistered ? [...feeds, ...datasets] : [] })
  const upstream = startTestUpstream()
  for (const feed of feeds) upstream.keepOneSeries(feed)
  const stateDir = `${folder.path}/state`
  ageState(stateDir)
  const settings: Settings = {
    ...chainSettings(chain),
    ATTESTER_KEY_PATH: chain.owner.keyPath,
    AGENT_STATE_DIR: stateDir,
    AGENT_PORT: '0',
    PORT: '0',
    EIA_API_KEY: 'any',
    EIA_BASE_URL: upstream.url,
    EIA_RPS: '1000',
    FEEDS_FILE: folder.write('feeds.json', JSON.stringify([...feeds, ...datasets])),
  }
  const client: DevnetBench['client'] = (changes) =>
    connect({ ...clientOptions(chain), ...changes }, { backOff }).client
  const start: DevnetBench['start'] = (name, args = [], changes = {}) =>
    startDevnetProgram(name, args, { ...settings, ...changes }, folder.path)
  return {
    chain,
    upstream,
    folder,
    feeds,
    settings,
    client,
    start,
    run: (name, args = [], changes = {}) =>
      runDevnetProgram(name, args, { ...settings, ...changes }, folder.path),
    async attest(changes = {}, args = []) {
      const ended = await start('agent', ['--once', '--json', ...args], changes).ended
      return { exitCode: ended.exitCode, lines: parseLines(ended.stdout), stderr: ended.stderr }
    },
    serve(changes = {}) {
      const own = { ...settings, LOG_LEVEL: 'silent', ...changes }
      return startProgram(wattfeed('serve'), own, folder.path)
    },
    async attested(reader = client()) {
      const at = await reader.snapshot()
      const histories = await Promise.all(
        feeds.map(async ({ feed_id }) =>
          (await at.getValueHistory(feed_id)).map(({ period, amount }) => `${feed_id} ${period} ${amount}`),
        ),
      )
      return histories.flat()
    },
    publish(value, day) {
      for (const feed of feeds) upstream.setRow(feed, { period: day, value })
    },
    revise() {
      for (const feed of feeds) reviseNewest(upstream, feed, () => 0.75)
    },
    pending: (folder = stateDir) => pendingHashes(folder),
    async [Symbol.asyncDispose]() {
      await Promise.all([chain[Symbol.asyncDispose](), upstream.stop()])
      folder[Symbol.dispose]()
    },
  }
}

const chainSettings = ({ endpoint, devnet, packageHashes }: DevnetChain): Settings => ({
  CASPER_RPC_URL: endpoint.url,
  CASPER_CHAIN_NAME: devnet.chainName,
  FEED_REGISTRY_PACKAGE_HASH: packageHashes.FeedRegistry,
  ATTESTATION_REGISTRY_PACKAGE_HASH: packageHashes.AttestationRegistry,
  ...patientSettings,
})

const clientOptions = ({ endpoint, devnet, packageHashes }: DevnetChain): ClientOptions => ({
  rpcUrls: [endpoint.url],
  chainName: devnet.chainName,
  feedRegistryPackageHash: packageHashes.FeedRegistry,
  attestationRegistryPackageHash: packageHashes.AttestationRegistry,
  ...patience,
})
