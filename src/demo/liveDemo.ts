import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FeedConfig } from '../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../agent/feeds/loadFeeds.ts'
import { createEiaClient } from '../eia/createEiaClient.ts'
import { createAgentLines } from './agentLines.ts'
import { announcement } from './announcement.ts'
import { attestPast, planPast } from './attestPast.ts'
import { claimEligibility, claimForUser } from './claimEligibility.ts'
import { type Connection, connectionSettings } from './connection.ts'
import { startDemoAgents } from './demoAgents.ts'
import { type DemoChain, startDemoChain } from './demoChain.ts'
import type { DemoSettings } from './demoSettings.ts'
import { type DemoCommittee, FORMATION_MS, formCommittee } from './formCommittee.ts'
import { listSigners } from './listSigners.ts'
import { createValueMover } from './moveValues.ts'
import { startServerProcess } from './programs.ts'
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
    await using upstream = startUpstream(await loadFeeds(null))
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
  const chain = await startDemoChain(settings.devnetPort, directory)
  const feeds = await loadFeeds(null)
  await claimEligibility(chain)
  await claimForUser(chain)
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
  const lines = createAgentLines(feeds.length, (hash) => listSigners(chain, committee, hash))
  using _blocks = committee === null ? null : makeBlocks(chain)
  const agents = startDemoAgents({ ...programs, connection, onLine: lines.show })
  const ended = Promise.race([
    stopSignal.then(() => 0),
    server.exited.then(() => 1),
    ...agents.map((agent) => agent.exited.then(() => 1)),
  ])
  const isReady = await Promise.race([lines.ready.then(() => true), ended.then(() => false)])
  if (isReady) process.stdout.write(announcement(server.url, { ...programs, connection }))
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

const connectionOf = ({ endpoint, devnet, packageHashes }: DemoChain): Connection => ({
  rpcUrls: [endpoint.url],
  chainName: devnet.chainName,
  feedRegistryPackageHash: packageHashes.FeedRegistry,
  attestationRegistryPackageHash: packageHashes.AttestationRegistry,
})
