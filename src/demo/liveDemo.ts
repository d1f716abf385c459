import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SeriesConfig } from '../feeds/file/feedConfig.ts'
import { loadFeeds } from '../feeds/file/loadFeeds.ts'
import { serveHttp } from '../runtime/serveHttp.ts'
import { createAgentLines } from './agentLines.ts'
import { type Announced, announcement, userSettings } from './announcement.ts'
import { attestPast, planPast } from './attestPast.ts'
import { claimEligibility, claimForUser } from './claimEligibility.ts'
import { connectionOf, connectionSettings, formatExports } from './connection.ts'
import { snapshotsFolder, snapshotsFolders, startDemoAgents } from './demoAgents.ts'
import { type DemoChain, startDemoChain } from './demoChain.ts'
import { demoDatasets } from './demoDatasets.ts'
import { createDemoFolder } from './demoFolder.ts'
import type { DemoSettings } from './demoSettings.ts'
import { type DemoCommittee, FORMATION_MS, formCommittee, listSigners } from './formCommittee.ts'
import { committeeTurns, moveValues } from './moveValues.ts'
import { type AgentLine, startServerProcess } from './programs.ts'
import { type Progress, startProgress } from './progress.ts'
import { registerFlagshipFeeds } from './registerFlagshipFeeds.ts'
import { type RunningUpstream, startUpstream } from './standIn/upstream.ts'
import { writePastRoots } from './writePastRoots.ts'

/** How often values move. */
const MOVE_SECONDS = 3

/** How often they move for a committee, which needs up to a minute for a value. */
const COMMITTEE_MOVE_SECONDS = 45

/** How often the chain makes a block for a committee, whose turns follow the time of blocks. */
const BLOCK_MS = 2_000

/**
 * Runs a chain, the agent and the server until stopped, and returns the exit code. The caller must then exit the process: if
 * it was stopped during its start, interrupted work may still run.
 *
 * @throws {DevnetPortError}
 * @throws {ListenError} at once when the server's address is not available
 * @throws {ServerStartError} when the server failed to start; the server has logged the reason
 */
export async function runLiveDemo(
  settings: DemoSettings,
  stopSignal: Promise<void>,
  { hasCommittee }: { /** Whether five agents attest together. */ hasCommittee: boolean },
): Promise<number> {
  await assertFree(settings.server)
  using progress = startProgress()
  progress.begin('starting a chain with the contracts')
  using folder = createDemoFolder()
  await using upstream = startUpstream(await loadFeeds(null))
  const options = { settings, directory: folder.path, upstream, progress }
  const booted = await Promise.race([boot(options, hasCommittee), stopSignal])
  if (booted === undefined) return endEarly(progress)
  await using chain = booted.chain
  return await runPrograms({ ...options, ...booted, chain, stopSignal })
}

/** Fails before the chain starts, which takes seconds, if the server could not listen after it. */
async function assertFree({ HOST, PORT }: DemoSettings['server']): Promise<void> {
  await serveHttp({ hostname: HOST, port: Number(PORT), fetch: () => new Response() }).stop(true)
}

function endEarly(progress: Progress): number {
  progress.end()
  console.error('demo: stopped before it was ready')
  return 0
}

interface BootOptions {
  settings: DemoSettings
  directory: string
  upstream: RunningUpstream
  progress: Progress
}

interface Booted {
  chain: DemoChain
  committee: DemoCommittee | null
}

/** Starts a chain, registers the flagship feeds, attests their invented history and then switches to the real time. */
async function boot(
  { settings, directory, upstream, progress }: BootOptions,
  hasCommittee: boolean,
): Promise<Booted> {
  const chain = await startDemoChain(settings.devnetPort, directory)
  const feeds = await loadFeeds(null)
  const registered = [...feeds, ...demoDatasets]
  progress.begin(`registering ${registered.length} feeds`)
  await claimEligibility(chain)
  await claimForUser(chain)
  const now = Date.now() - (hasCommittee ? FORMATION_MS : 0)
  const past = planPast(feeds, upstream, now)
  const folder = snapshotsFolder(directory)
  const [roots] = await Promise.all([
    writePastRoots(demoDatasets, { feeds, upstream, folder, now }),
    registerFlagshipFeeds(chain, registered, directory),
  ])
  progress.begin('attesting the past')
  const runs = [...past, ...roots].sort((a, b) => a.at - b.at)
  await attestPast(chain, runs, (done, all) => progress.count(done, all, 'values'))
  if (hasCommittee) progress.begin('giving the account the keys of five members')
  const committee = hasCommittee ? await formCommittee(chain, directory) : null
  chain.clock.release()
  // Without a current block, the chain would look stale until the agent's first transaction.
  chain.devnet.produceBlock()
  return { chain, committee }
}

const NOTICE = 'A demo on an embedded chain: the figures are invented, not EIA statistics.'

interface Programs extends Booted, BootOptions {
  stopSignal: Promise<void>
}

async function runPrograms(programs: Programs): Promise<number> {
  const { chain, committee, upstream, settings, stopSignal, progress } = programs
  const connection = connectionOf(chain)
  const feeds = await loadFeeds(null)
  const feedsFile = join(programs.directory, 'feeds.json')
  await writeFile(feedsFile, JSON.stringify([...feeds, ...demoDatasets]))
  progress.begin('starting the server')
  const server = await startServerProcess({
    ...connectionSettings(connection),
    NOTICE,
    ...settings.server,
    DATASETS: snapshotsFolders(programs.directory, committee).join(','),
  })
  const count = feeds.length + demoDatasets.length
  const lines = createAgentLines(count, (hash) => listSigners(chain, committee, hash))
  using _blocks = committee === null ? null : makeBlocks(chain)
  progress.begin('attesting the newest values')
  const onLine = (line: AgentLine): void => {
    if (line.error !== null) progress.clear()
    lines.show(line)
    progress.count(lines.done(), count, 'feeds')
  }
  const agents = startDemoAgents({ ...programs, connection, feedsFile, onLine })
  const ended = Promise.race([
    stopSignal.then(() => 0),
    server.exited.then(() => 1),
    agents.ended.then(() => 1),
  ])
  const isReady = await Promise.race([lines.ready.then(() => true), ended.then(() => false)])
  if (isReady) await announce(server.url, { ...programs, connection, agents })
  using _values = isReady ? startMoving(upstream, feeds, committee !== null) : null
  const exitCode = await ended
  lines.end()
  await Promise.all([agents.stop(), server.stop()])
  return isReady || exitCode !== 0 ? exitCode : endEarly(progress)
}

/** Writes the settings for other commands, and prints what a user can do. */
async function announce(url: string, announced: Programs & Omit<Announced, 'envFile'>): Promise<void> {
  const envFile = join(announced.directory, 'demo.env')
  await writeFile(envFile, formatExports(userSettings(announced)), { mode: 0o600 })
  announced.progress.end()
  process.stdout.write(announcement(url, { ...announced, envFile }))
}

/** Makes blocks regularly, until disposed. */
function makeBlocks({ devnet }: DemoChain): Disposable {
  const timer = setInterval(() => devnet.produceBlock(), BLOCK_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Moves the upstream's values at once and then regularly, until disposed. */
function startMoving(
  upstream: RunningUpstream,
  feeds: readonly SeriesConfig[],
  isCommittee: boolean,
): Disposable {
  let index = 0
  const apart = isCommittee ? committeeTurns : undefined
  const move = (): void =>
    moveValues(upstream, feeds, {
      index: index++,
      now: Date.now(),
      random: Math.random,
      ...(apart && { apart }),
    })
  move()
  const timer = setInterval(move, (isCommittee ? COMMITTEE_MOVE_SECONDS : MOVE_SECONDS) * 1_000)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
