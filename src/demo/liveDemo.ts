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
import { startDemoAgents } from './demoAgents.ts'
import { type DemoChain, startDemoChain } from './demoChain.ts'
import type { DemoSettings } from './demoSettings.ts'
import { type DemoCommittee, FORMATION_MS, formCommittee, memberNames, THRESHOLD } from './formCommittee.ts'
import { createValueMover } from './moveValues.ts'
import { type AgentLine, startServerProcess, typedProgram } from './programs.ts'
import { registerFlagshipFeeds } from './registerFlagshipFeeds.ts'
import { type RunningUpstream, startUpstream } from './upstream.ts'

/** How often values change, and how many at once. A committee needs up to a minute for a value. */
const alonePace = { everySeconds: 3, count: 3 }
const committeePace = { everySeconds: 6, count: 1 }

/** How often the chain makes a block for a committee, whose turns follow the time of blocks. */
const BLOCK_MS = 2_000

/**
 * Runs a chain, the agent and the server until stopped, and returns the exit code. It can also be stopped during startup;
 * the caller must then exit the process to end interrupted work.
 *
 * @param hasCommittee whether five agents attest together
 * @throws {DevnetPortError}
 * @throws {ServerStartError} when the server failed to start; the server has logged the reason
 */
export async function runLiveDemo(
  settings: DemoSettings,
  stopSignal: Promise<void>,
  hasCommittee = false,
): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'wattfeed-demo-'))
  try {
    await using upstream = startUpstream()
    const booting = boot({ settings, directory, upstream, hasCommittee })
    const booted = await Promise.race([booting, stopSignal])
    if (booted === undefined) return 0
    await using chain = booted.chain
    return await runPrograms({ ...booted, chain, upstream, directory, settings, stopSignal })
  } finally {
    // Synchronously: otherwise interrupted work could recreate the directory.
    rmSync(directory, { recursive: true, force: true })
  }
}

interface BootOptions {
  settings: DemoSettings
  directory: string
  upstream: RunningUpstream
  hasCommittee: boolean
}

interface Booted {
  chain: DemoChain
  committee: DemoCommittee | null
}

/** Starts a chain, registers the flagship feeds, attests their invented history and then switches to the real time. */
async function boot({ settings, directory, upstream, hasCommittee }: BootOptions): Promise<Booted> {
  const accounts = hasCommittee ? memberNames.length : 1
  const chain = await startDemoChain(settings.devnetPort, directory, accounts)
  const feeds = await loadFeeds(null)
  await claimEligibility(chain)
  await registerFlagshipFeeds(chain, feeds, directory)
  await attestPast(chain, planPast(feeds, upstream, Date.now() - (hasCommittee ? FORMATION_MS : 0)))
  const committee = hasCommittee ? await formCommittee(chain, directory) : null
  chain.clock.release()
  // Without a current block, the chain would look stale until the agent's first transaction.
  chain.devnet.produceBlock()
  return { chain, committee }
}

const NOTICE = 'A demo on an embedded chain: the figures are invented, not EIA statistics.'

interface Programs extends Booted {
  upstream: RunningUpstream
  directory: string
  settings: DemoSettings
  stopSignal: Promise<void>
}

async function runPrograms(programs: Programs): Promise<number> {
  const { chain, committee, upstream, settings, stopSignal } = programs
  const connection = connectionOf(chain)
  const server = await startServerProcess({ ...connectionSettings(connection), NOTICE, ...settings.server })
  const feeds = await loadFeeds(null)
  const lines = createLineShow(feeds.length)
  using _blocks = committee === null ? null : makeBlocks(chain)
  const agents = startDemoAgents({ ...programs, connection, onLine: lines.show })
  const ended = Promise.race([
    stopSignal.then(() => 0),
    server.exited.then(() => 1),
    ...agents.map((agent) => agent.exited.then(() => 1)),
  ])
  const isReady = await Promise.race([lines.ready.then(() => true), ended.then(() => false)])
  if (isReady) process.stdout.write(announcement(server.url, programs))
  await using _values = isReady ? moveValues(upstream, feeds, committee ? committeePace : alonePace) : null
  const exitCode = await ended
  lines.end()
  await Promise.all([...agents, server].map((program) => program.stop()))
  return exitCode
}

/** Makes blocks regularly, until disposed. */
function makeBlocks({ devnet }: DemoChain): Disposable {
  const timer = setInterval(() => devnet.produceBlock(), BLOCK_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Periodically revises some of the upstream's values, until disposed. */
function moveValues(
  upstream: RunningUpstream,
  feeds: readonly FeedConfig[],
  { everySeconds, count }: { everySeconds: number; count: number },
): AsyncDisposable {
  const client = createEiaClient({ baseUrl: upstream.url, apiKey: 'demo', requestsPerSecond: 1_000 })
  const mover = createValueMover(upstream, client, feeds, Math.random)
  let moving = Promise.resolve()
  const timer = setInterval(() => {
    moving = mover.moveSome(count)
  }, everySeconds * 1_000)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // A running revision uses the upstream, which is stopped next.
      await moving
    },
  }
}

/**
 * Prints the agents' lines once every feed has a value. Prints errors immediately. Each member of a committee reports a
 * transaction; it is printed once.
 */
function createLineShow(feeds: number) {
  const done = new Set<string>()
  const newest = new Map<string, string | null>()
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  let hasEnded = false
  return {
    /** Resolves when every feed has a value. */
    ready,
    show(line: AgentLine): void {
      if (hasEnded) return
      const isNew = line.transaction_hash !== newest.get(line.feed_id)
      if (line.transaction_hash !== null) newest.set(line.feed_id, line.transaction_hash)
      if ((done.size === feeds && isNew) || line.error !== null) show(line)
      if (line.error === null) done.add(line.feed_id)
      if (done.size === feeds) resolve()
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

function describeCommittee(
  { signer, endpoint, devnet }: DemoChain,
  { path, members }: DemoCommittee,
): string {
  return `

${members.length} agents attest together, each with its own key, and **${THRESHOLD} of ${members.length} keys must sign** every value. They are called
${members.map(({ name }) => name).join(', ')}. A revision is attested within a minute or so. The page of a feed shows the
keys, and who signed its newest value. Compare the agents in a terminal:

  CASPER_RPC_URL=${endpoint.url} CASPER_CHAIN_NAME=${devnet.chainName} \\
    ATTESTER_ACCOUNT=${signer.accountHash} \\
    ${typedProgram} committee status ${path}

`
}

function announcement(url: string, { chain, committee, upstream }: Programs): string {
  const { devnet, endpoint, packageHashes } = chain
  return `wattfeed is listening on ${url}

A Casper chain runs in this process (${endpoint.url}), for development only. It executes the real
contracts, and ${committee === null ? 'an agent attests' : 'agents attest'} values with signed transactions. All figures are invented, not EIA statistics. Their
history is invented too: it was attested with the chain's clock set back. Every few seconds some values are revised;
the revisions are printed below.${committee === null ? '' : describeCommittee(chain, committee)} Open the explorer in a browser:

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
