import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pemOf } from '@wattfeed/casper/testing/keys'
import { type AnswerRpc, startDevnet } from '@wattfeed/casper-devnet'
import type { EiaServerOptions } from '@wattfeed/eia/testing/eiaServer'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import { withSecrets } from '@wattfeed/testing/secrets'
import { feedMetadata, type SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { wattfeed } from '../../support/binary.ts'
import { type Ended, runToEnd } from '../../support/program.ts'
import { ageState } from '../../support/state.ts'
import { startTestUpstream, type TestUpstream } from '../../support/testUpstream.ts'
import { type AttestChain, type AttestChainOptions, createAttestChain } from '../support/attestChain.ts'

/** What nobody may ever see. */
const API_KEY = 'k3y+of/the=EIA'

/** Finds the API key however it is spelled. */
export const apiKeyPattern = /k3y(\+|%2B| )of/i

/** A line of `--json`. */
export interface OutcomeLine {
  feed_id: string
  decision: string | null
  period: number | null
  amount: string | null
  value: string | null
  unit: string | null
  source_hash: string | null
  transaction_hash: string | null
  error: { code: string; message: string; retryable: boolean } | null
  transaction_hashes: string[]
  caught_up: number[]
  missing: number
  revised: number[]
  left_out: { period: number; reason: string }[]
  waits_for: string | null
  waits_until: number | null
  gaps: number[] | null
  signers: string[]
}

export interface AgentBenchOptions {
  chain?: Partial<AttestChainOptions>
  upstream?: EiaServerOptions
  /** Registered and configured. @default the flagship feeds */
  feeds?: readonly SeriesConfig[]
  /** Stands between the agent and the chain. */
  between?: (answer: AnswerRpc) => AnswerRpc
}

/** A chain and an upstream on loopback, and the settings of an agent that works with them. */
export interface AgentBench extends AsyncDisposable {
  chain: AttestChain
  upstream: TestUpstream
  folder: Folder
  stateDir: string
  settings: Record<string, string>
  /** The command that starts the program. */
  command: readonly string[]
  /** Runs the program to its end. */
  run(args: readonly string[], settings?: Record<string, string>): Promise<Ended & { lines: OutcomeLine[] }>
  /** What the state folder holds: texts by path. */
  stateFiles(): Record<string, string>
}

/** Sets everything up; the URL of the node holds secrets, and upstream takes any key. */
export async function createAgentBench(options: AgentBenchOptions = {}): Promise<AgentBench> {
  const configured = options.feeds ?? (await loadFeeds(null))
  // The day on which the tests run must not matter.
  const feeds = configured.map((feed) => ({ ...feed, allow_future: true }))
  const chain = await createAttestChain({ feeds: feedsOf(feeds), time: Date.now, ...options.chain })
  const { between = (answer) => answer } = options
  const node = await startDevnet({ call: between(chain.answer) })
  const upstream = startTestUpstream(options.upstream)
  for (const feed of configured) upstream.keepOneSeries(feed)
  const folder = createFolder('in memory')
  const stateDir = join(folder.path, 'state')
  ageState(stateDir)
  const command = wattfeed('agent')
  const settings = {
    EIA_API_KEY: API_KEY,
    EIA_BASE_URL: upstream.url,
    EIA_RPS: '1000',
    FEEDS_FILE: folder.write('feeds.json', JSON.stringify(feeds)),
    ATTESTER_KEY_PATH: folder.write('key.pem', pemOf('ed25519')),
    AGENT_STATE_DIR: stateDir,
    AGENT_PORT: '0',
    CASPER_RPC_URL: withSecrets(node.url).replace('/t0ken-in-path', ''),
    CASPER_CHAIN_NAME: chain.chainName,
    FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
    ...patientSettings,
  }
  return {
    chain,
    upstream,
    folder,
    stateDir,
    settings,
    command,
    stateFiles: () => readTree(stateDir),
    async run(args, changes = {}) {
      const ended = await runToEnd([...command, ...args], { ...settings, ...changes }, folder.path)
      return { ...ended, lines: args.includes('--json') ? parseLines(ended.stdout) : [] }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([node.stop(), upstream.stop()])
      folder[Symbol.dispose]()
    },
  }
}

/** What an {@link AttestChainOptions} is told of configured feeds. */
export const feedsOf = (configs: readonly SeriesConfig[]): AttestChainOptions['feeds'] =>
  Object.fromEntries(configs.map((config) => [config.feed_id, feedMetadata(config)]))

/** JSON objects, one a line. Throws where a line is none. */
export const parseLines = (text: string): OutcomeLine[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

function readTree(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {}
  const paths = readdirSync(folder, { recursive: true }).map(String)
  const files = paths.filter((path) => statSync(join(folder, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}
