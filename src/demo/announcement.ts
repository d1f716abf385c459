import { typedProgram } from '../runtime/isFromSource.ts'
import { type Connection, connectionSettings } from './connection.ts'
import { type DemoAgents, restartCommand } from './demoAgents.ts'
import type { DemoChain } from './demoChain.ts'
import { type DemoCommittee, THRESHOLD } from './formCommittee.ts'
import { DEMO_API_KEY, type RunningUpstream } from './standIn/upstream.ts'

export interface Announced {
  chain: DemoChain
  connection: Connection
  upstream: RunningUpstream
  agents: Pick<DemoAgents, 'running'>
  /** Null if one key signs alone. */
  committee: DemoCommittee | null
  /** The file with {@link userSettings}. */
  envFile: string
}

/** Settings of the other commands, with the user's key and the hashes to trust. */
export const userSettings = ({
  chain,
  connection,
  upstream,
  committee,
}: Omit<Announced, 'agents' | 'envFile'>): Record<string, string> => ({
  ...connectionSettings(connection),
  EIA_BASE_URL: upstream.url,
  EIA_API_KEY: DEMO_API_KEY,
  ATTESTER_KEY_PATH: chain.user.keyPath,
  GENESIS_HASH: chain.devnet.genesisHash,
  // No settings, because the user's key is no member's.
  ...(committee === null
    ? {}
    : { DEMO_ACCOUNT: chain.owner.signer.accountHash, DEMO_MEMBERS: committee.path }),
})

/** Formats what the demo prints when it is ready. It fits a screen: docs/demo.md has the rest. @param url of the server */
export function announcement(url: string, announced: Announced): string {
  const { chain, committee, envFile } = announced
  const { devnet, endpoint, packageHashes } = chain
  // In the address's fragment, which browsers do not send to the server.
  const trust = new URLSearchParams({
    trust: devnet.genesisHash,
    'chain-name': devnet.chainName,
    'feed-registry': packageHashes.FeedRegistry,
    'attestation-registry': packageHashes.AttestationRegistry,
  })
  const attests = committee === null ? 'an agent attests' : 'agents attest'
  return `wattfeed is listening on ${url}

A Casper chain runs in this process (${endpoint.url}). It executes
the real contracts, and ${attests} values with signed transactions. All
figures and their history are invented, not EIA statistics: this is for
development only. Revisions are printed below.

Open the explorer at ${url}/ in a browser, or read with curl:
  curl ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY
Or with your script for EIA's API, from ${url}/eia/v2

Verify a value in the browser, trusting only the chain's first block:
  ${url}/explorer/feeds/EIA.PET.PRICE.WTI.DAILY#proof&${trust}

${committee === null ? '' : describeCommittee(announced, committee)}Use the other commands in a second terminal, with a key that may register feeds:
  source ${envFile}
  ${typedProgram} feeds list

Continue with proofs in a terminal, whole datasets, and a feed of your own:
  ${url}/docs/demo

Press Ctrl-C to stop everything.

`
}

function describeCommittee({ agents }: Announced, { members }: DemoCommittee): string {
  const [first, ...others] = [...agents.running].map(([name, { pid }]) => ({ name, pid }))
  const rest = others.map(({ name, pid }) => `${name} ${pid}`).join(', ')
  return `${THRESHOLD} of ${members.length} keys must sign each value and root. End an agent, and start it again:
  kill -9 ${first?.pid}    # ${first?.name}; ${rest}
  ${restartCommand()}    # starts all that have ended

`
}
