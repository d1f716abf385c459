import { join } from 'node:path'
import { type Connection, connectionSettings } from './connection.ts'
import type { DemoChain } from './demoChain.ts'
import type { DemoCommittee } from './formCommittee.ts'
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

/** Where the agent writes the snapshots of datasets, and the server reads them. */
export const snapshotsFolder = (directory: string): string => join(directory, 'datasets')

/** How often an agent polls. */
const POLL_SECONDS = 3

/** How often a member of a committee polls, which requests a feed from EIA every 30 s at most. */
const MEMBER_POLL_SECONDS = 10

export function startDemoAgents(options: DemoAgentsOptions): RunningProgram[] {
  const { chain, directory, committee, onLine } = options
  const common = commonSettings(options)
  if (committee === null) {
    const own = {
      ATTESTER_KEY_PATH: chain.owner.keyPath,
      AGENT_STATE_DIR: directory,
      DATASETS_DIR: snapshotsFolder(directory),
      // The stand-in warns that its rows are invented, which the demo has said.
      LOG_LEVEL: 'error',
    }
    const run = { everySeconds: POLL_SECONDS, isFreshChain: false, onLine }
    return [startAgentProcess({ ...common, ...own }, run)]
  }
  const run = { everySeconds: MEMBER_POLL_SECONDS, isFreshChain: true, onLine }
  return committee.members.map(({ name, keyPath, port }) => {
    const own = {
      ATTESTER_KEY_PATH: keyPath,
      ATTESTER_ACCOUNT: chain.owner.signer.accountHash,
      COMMITTEE_PEERS: committee.path,
      COMMITTEE_LISTEN: `127.0.0.1:${port}`,
      AGENT_STATE_DIR: join(directory, name),
      // Members warn of those that have not started yet.
      LOG_LEVEL: 'error',
    }
    return startAgentProcess({ ...common, ...own }, run)
  })
}

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
