import { join } from 'node:path'
import type { Frequency } from '../agent/intervals.ts'
import { type Connection, connectionSettings } from './connection.ts'
import type { DemoChain } from './demoChain.ts'
import { demoDatasets } from './demoDatasets.ts'
import { type DemoCommittee, THRESHOLD } from './formCommittee.ts'
import { type AgentLine, type RunningProgram, startAgentProcess } from './programs.ts'
import { DEMO_API_KEY, type RunningUpstream } from './standIn/upstream.ts'

export interface DemoAgentsOptions {
  chain: DemoChain
  connection: Connection
  upstream: RunningUpstream
  directory: string
  /** The feeds and datasets to attest. */
  feedsFile: string
  /** Null for one agent, whose key signs alone. */
  committee: DemoCommittee | null
  onLine: (line: AgentLine) => void
}

/** Where the snapshots of datasets are that the agent writes, and those of the past. */
export const snapshotsFolder = (directory: string): string => join(directory, 'datasets')

/**
 * Where the server finds the snapshots of datasets. A committee's members each write their own. The server reads the first folder that has
 * a root, so it does not matter which of them run.
 */
export const snapshotsFolders = (
  directory: string,
  committee: Pick<DemoCommittee, 'members'> | null,
): string[] => {
  const members = committee?.members ?? []
  return [directory, ...members.map(({ name }) => memberFolder(directory, name))].map(snapshotsFolder)
}

/** The state folder of a member. */
const memberFolder = (directory: string, name: string): string => join(directory, name)

/** How often an agent polls. */
const POLL_SECONDS = 3

/** How many snapshots of each dataset stay. One takes up to 15 MB, and the values of a dataset move every few minutes. */
const KEPT_SNAPSHOTS = 20

/** How often a member of a committee polls, which requests a series from EIA every 30 s at most. */
const MEMBER_POLL_SECONDS = 10

/**
 * How often it polls feeds of the datasets' frequencies. To read both datasets takes a core three seconds, and five members read them. The
 * first one that finds a new value tells the others.
 */
const MEMBER_DATASET_POLL_SECONDS = 300

/** How many snapshots of each dataset a member keeps: five members write the same ones. */
const MEMBER_KEPT_SNAPSHOTS = 3

/** The agents that run. */
export interface DemoAgents {
  /** The processes by the members' names; without a committee, one under an empty name. */
  running: ReadonlyMap<string, RunningProgram>
  /** Resolves when an agent has ended, unless it is a committee's, whose others continue. */
  ended: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the agents. A committee's agent may end, which is printed. This process starts those that have ended on
 * SIGUSR2.
 */
export function startDemoAgents(options: DemoAgentsOptions): DemoAgents {
  const { committee } = options
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const running = new Map<string, RunningProgram>()
  const starts = startsOf(options)
  let isStopping = false

  function start(name: string, startProgram: () => RunningProgram): RunningProgram {
    const agent = startProgram()
    running.set(name, agent)
    void agent.exited.then((exitCode) => {
      running.delete(name)
      if (committee === null) end()
      else if (!isStopping) console.log(describeEnd(name, exitCode, running.size))
    })
    return agent
  }

  for (const [name, startProgram] of starts) start(name, startProgram)
  // Until now, the signal ends the demo.
  process.removeAllListeners(RESTART_SIGNAL).on(RESTART_SIGNAL, () => {
    const missing = [...starts].filter(([name]) => !running.has(name))
    for (const [name, startProgram] of isStopping ? [] : missing)
      console.log(`  ${name}'s agent has been started again: process ${start(name, startProgram).pid}`)
  })
  return {
    running,
    ended,
    async stop() {
      isStopping = true
      await Promise.all([...running.values()].map((agent) => agent.stop()))
    },
  }
}

const RESTART_SIGNAL = 'SIGUSR2'

/** How to have this process start the agents that have ended. */
export const restartCommand = (): string => `kill -USR2 ${process.pid}`

/** Says what follows from the end of a committee's agent. */
export function describeEnd(name: string, exitCode: number, running: number): string {
  const effect =
    running >= THRESHOLD
      ? `${running} still run and attest, as ${THRESHOLD} must sign`
      : `${running} still run, which attest nothing: ${THRESHOLD} must sign`
  return `  ${name}'s agent has ended (exit code ${exitCode}). ${effect}. To start it again: ${restartCommand()}`
}

/** How to start each agent, by name. */
function startsOf(options: DemoAgentsOptions): Map<string, () => RunningProgram> {
  const { chain, directory, committee, onLine } = options
  const common = commonSettings(options)
  if (committee === null) {
    const own = {
      ATTESTER_KEY_PATH: chain.owner.keyPath,
      AGENT_STATE_DIR: directory,
      DATASETS_DIR: snapshotsFolder(directory),
      KEEP_SNAPSHOTS: String(KEPT_SNAPSHOTS),
      // The stand-in warns that its rows are invented, which the demo has said.
      LOG_LEVEL: 'error',
    }
    const run = { secondsOf: () => POLL_SECONDS, isFreshChain: false, onLine }
    return new Map([['', () => startAgentProcess({ ...common, ...own }, run)]])
  }
  // Started again, a member has its state, which remembers what it has signed.
  const run = { secondsOf: memberSeconds, isFreshChain: true, onLine }
  return new Map(
    committee.members.map(({ name, keyPath, port }) => {
      const own = {
        ATTESTER_KEY_PATH: keyPath,
        ATTESTER_ACCOUNT: chain.owner.signer.accountHash,
        COMMITTEE_PEERS: committee.path,
        COMMITTEE_LISTEN: `127.0.0.1:${port}`,
        AGENT_STATE_DIR: memberFolder(directory, name),
        DATASETS_DIR: snapshotsFolder(memberFolder(directory, name)),
        KEEP_SNAPSHOTS: String(MEMBER_KEPT_SNAPSHOTS),
        // All members start at once, and the chain answers them from one process.
        RPC_TIMEOUT_MS: '30000',
        REQUEST_DEADLINE_MS: '60000',
        // Members warn of those that do not run.
        LOG_LEVEL: 'error',
      }
      return [name, () => startAgentProcess({ ...common, ...own }, run)]
    }),
  )
}

const memberSeconds = (frequency: Frequency): number =>
  demoDatasets.some((dataset) => dataset.frequency === frequency)
    ? MEMBER_DATASET_POLL_SECONDS
    : MEMBER_POLL_SECONDS

const commonSettings = ({ connection, upstream, feedsFile }: DemoAgentsOptions): Record<string, string> => ({
  ...connectionSettings(connection),
  FEEDS_FILE: feedsFile,
  // The loopback upstream accepts any key and rate; EIA allows fewer than five requests a second.
  EIA_API_KEY: DEMO_API_KEY,
  EIA_RPS: '200',
  EIA_BASE_URL: upstream.url,
  AGENT_HOST: '127.0.0.1',
  AGENT_PORT: '0',
})
