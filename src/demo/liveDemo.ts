import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FeedConfig } from '../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../agent/feeds/loadFeeds.ts'
import { createEiaClient } from '../eia/createEiaClient.ts'
import { attestPast, planPast } from './attestPast.ts'
import { claimEligibility } from './claimEligibility.ts'
import { type Connection, connectionSettings, formatConnection } from './connection.ts'
import { type DemoChain, startDemoChain } from './demoChain.ts'
import type { DemoSettings } from './demoSettings.ts'
import { createValueMover } from './moveValues.ts'
import { type AgentLine, startAgentProcess, startServerProcess, typedProgram } from './programs.ts'
import { registerFlagshipFeeds } from './registerFlagshipFeeds.ts'
import { type RunningUpstream, startUpstream } from './upstream.ts'

/** Interval at which values change and the agent polls. */
const EVERY_SECONDS = 3
const MOVED_AT_ONCE = 3

// The loopback upstream accepts any key and rate; EIA allows fewer than five requests a second.
const eiaSettings = { EIA_API_KEY: 'demo', EIA_RPS: '200' }

/**
 * Runs a chain, the agent and the server until stopped, and returns the exit code. It can also be stopped during startup;
 * the caller must then exit the process to end interrupted work.
 *
 * @throws {DevnetPortError}
 * @throws {ServerStartError} when the server failed to start; the server has logged the reason
 */
export async function runLiveDemo(settings: DemoSettings, stopSignal: Promise<void>): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'wattfeed-demo-'))
  try {
    await using upstream = startUpstream()
    const booted = await Promise.race([boot(settings.devnetPort, directory, upstream), stopSignal])
    if (booted === undefined) return 0
    await using chain = booted
    return await runPrograms({ chain, upstream, directory, settings, stopSignal })
  } finally {
    // Synchronously: otherwise interrupted work could recreate the directory.
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Starts a chain, registers the flagship feeds, attests their invented history and then switches to the real time. */
async function boot(port: number, directory: string, upstream: RunningUpstream): Promise<DemoChain> {
  const chain = await startDemoChain(port, directory)
  const feeds = await loadFeeds(null)
  await claimEligibility(chain)
  await registerFlagshipFeeds(chain, feeds, directory)
  await attestPast(chain, planPast(feeds, upstream, Date.now()))
  chain.clock.release()
  // Without a current block, the chain would look stale until the agent's first transaction.
  chain.devnet.produceBlock()
  return chain
}

const NOTICE = 'A demo on an embedded chain: the figures are invented, not EIA statistics.'

interface Programs {
  chain: DemoChain
  upstream: RunningUpstream
  directory: string
  settings: DemoSettings
  stopSignal: Promise<void>
}

async function runPrograms(programs: Programs): Promise<number> {
  const { chain, upstream, settings, stopSignal } = programs
  const server = await startServerProcess({
    ...connectionSettings(connectionOf(chain)),
    NOTICE,
    ...settings.server,
  })
  const feeds = await loadFeeds(null)
  const announce = (): boolean => process.stdout.write(announcement(server.url, chain, upstream))
  const lines = createLineShow(feeds.length, announce)
  const agent = startAgentProcess(agentSettings(programs), {
    everySeconds: EVERY_SECONDS,
    onLine: lines.show,
  })
  await using _ = moveValues(upstream, feeds)
  const exitCode = await Promise.race([
    stopSignal.then(() => 0),
    server.exited.then(() => 1),
    agent.exited.then(() => 1),
  ])
  lines.end()
  await Promise.all([agent.stop(), server.stop()])
  return exitCode
}

/** Periodically revises some of the upstream's values, until disposed. */
function moveValues(upstream: RunningUpstream, feeds: readonly FeedConfig[]): AsyncDisposable {
  const client = createEiaClient({ baseUrl: upstream.url, apiKey: 'demo', requestsPerSecond: 1_000 })
  const mover = createValueMover(upstream, client, feeds, Math.random)
  let moving = Promise.resolve()
  const timer = setInterval(() => {
    moving = mover.moveSome(MOVED_AT_ONCE)
  }, EVERY_SECONDS * 1_000)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // A running revision uses the upstream, which is stopped next.
      await moving
    },
  }
}

/** Prints the agent's lines after every feed has a value and `announce` was called. Prints errors immediately. */
function createLineShow(feeds: number, announce: () => void) {
  const done = new Set<string>()
  let hasEnded = false
  return {
    show(line: AgentLine): void {
      if (hasEnded) return
      const isAnnounced = done.size === feeds
      if (line.error === null) done.add(line.feed_id)
      if (isAnnounced || line.error !== null) show(line)
      if (!isAnnounced && done.size === feeds) announce()
    },
    /** Stops printing lines: errors of an agent that is shutting down do not matter. */
    end(): void {
      hasEnded = true
    },
  }
}

/** Prints new values and errors; skips all other lines. */
function show({ feed_id, decision, value, unit, transaction_hash, error }: AgentLine): void {
  if (error !== null) console.log(`  ${feed_id}: ${error.message}`)
  else if (transaction_hash !== null)
    console.log(
      `  ${feed_id} = ${value} ${unit} (${decision}, transaction ${transaction_hash.slice(0, 10)}…)`,
    )
}

const connectionOf = ({ endpoint, devnet, packageHashes }: DemoChain): Connection => ({
  rpcUrls: [endpoint.url],
  chainName: devnet.chainName,
  feedRegistryPackageHash: packageHashes.FeedRegistry,
  attestationRegistryPackageHash: packageHashes.AttestationRegistry,
})

const agentSettings = ({ chain, upstream, directory }: Programs): Record<string, string> => ({
  ...connectionSettings(connectionOf(chain)),
  ...eiaSettings,
  EIA_BASE_URL: upstream.url,
  ATTESTER_KEY_PATH: chain.keyPath,
  AGENT_STATE_DIR: directory,
  AGENT_HOST: '127.0.0.1',
  AGENT_PORT: '0',
  LOG_LEVEL: 'warn',
})

/** Formats the trust settings as the URL fragment that the explorer reads. Browsers do not send it to the server. */
const trustFragment = (
  { genesisHash, chainName }: DemoChain['devnet'],
  { FeedRegistry, AttestationRegistry }: DemoChain['packageHashes'],
): string =>
  String(
    new URLSearchParams({
      trust: genesisHash,
      'chain-name': chainName,
      'feed-registry': FeedRegistry,
      'attestation-registry': AttestationRegistry,
    }),
  )

function announcement(url: string, chain: DemoChain, upstream: RunningUpstream): string {
  const { devnet, endpoint, packageHashes } = chain
  return `wattfeed is listening on ${url}

A Casper chain runs in this process (${endpoint.url}), for development only. It executes the real
contracts, and an agent attests values with signed transactions. All figures are invented, not EIA statistics. Their
history is invented too: it was attested with the chain's clock set back. Every few seconds some values are revised;
the revisions are printed below. Open the explorer in a browser:

  ${url}/

or use curl:

  curl ${url}/v1/feeds
  curl ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY
  curl '${url}/v1/datasets?family=petroleum&q=price'
  curl -N ${url}/v1/stream

Verify a value, trusting only the chain's first block. In the browser, this address fills in the hashes:

  ${url}/explorer/feeds/EIA.PET.PRICE.WTI.DAILY#proof&${trustFragment(devnet, packageHashes)}

or in a terminal:

  ${typedProgram} verify ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY/proof \\
    --trust ${devnet.genesisHash} --chain-name ${devnet.chainName} \\
    --feed-registry ${packageHashes.FeedRegistry} \\
    --attestation-registry ${packageHashes.AttestationRegistry}

Compare the attested values with their source, here a local stand-in for EIA's API that serves the invented figures:

  EIA_BASE_URL=${upstream.url} EIA_API_KEY=demo \\
    ${typedProgram} provenance EIA.PET.PRICE.WTI.DAILY --all --server ${url}

${formatConnection(connectionOf(chain))}

Press Ctrl-C to stop everything.

`
}
