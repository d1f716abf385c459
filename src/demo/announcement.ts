import { typedProgram } from '../runtime/isFromSource.ts'
import { type Connection, formatConnection } from './connection.ts'
import type { DemoChain } from './demoChain.ts'
import { seriesWithoutFeed } from './demoDatasets.ts'
import { type DemoCommittee, THRESHOLD } from './formCommittee.ts'
import { DEMO_API_KEY, type RunningUpstream } from './standIn/upstream.ts'

interface Announced {
  chain: DemoChain
  connection: Connection
  upstream: RunningUpstream
  /** Null if one key signs alone. */
  committee: DemoCommittee | null
}

/** Formats what the demo prints when it is ready. @param url of the server */
export function announcement(url: string, { chain, committee, upstream, connection }: Announced): string {
  const { devnet, endpoint, packageHashes } = chain
  // In the address's fragment, which browsers do not send to the server.
  const trust = new URLSearchParams({
    trust: devnet.genesisHash,
    'chain-name': devnet.chainName,
    'feed-registry': packageHashes.FeedRegistry,
    'attestation-registry': packageHashes.AttestationRegistry,
  })
  const verifyOptions = `--trust ${devnet.genesisHash} --chain-name ${devnet.chainName} \\
    --feed-registry ${packageHashes.FeedRegistry} \\
    --attestation-registry ${packageHashes.AttestationRegistry}`
  const attests = committee === null ? 'an agent attests' : 'agents attest'
  const slowly = committee === null ? '' : ' when enough agents have signed them, which may take a minute'
  return `wattfeed is listening on ${url}

A Casper chain runs in this process (${endpoint.url}), for development only. It executes the real
contracts, and ${attests} values with signed transactions. All figures are invented, not EIA statistics. Their
history is invented too: it was attested with the chain's clock set back. Every few seconds some values are revised;
the revisions are printed below${slowly}.
${committee === null ? '' : describeCommittee(chain, committee)}
Open the explorer in a browser:

  ${url}/

or use curl:

  curl ${url}/v1/feeds
  curl ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY
  curl '${url}/v1/datasets?family=petroleum&q=price'
  curl -N ${url}/v1/stream

Verify a value, trusting only the chain's first block. In the browser, this address fills in the hashes:

  ${url}/explorer/feeds/EIA.PET.PRICE.WTI.DAILY#proof&${trust}

or in a terminal:

  ${typedProgram} verify ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY/proof \\
    ${verifyOptions}

${committee === null ? describeDatasets(url, verifyOptions) : ''}Compare the attested values with their source, here a local stand-in for EIA's API that serves the invented figures:

  EIA_BASE_URL=${upstream.url} EIA_API_KEY=${DEMO_API_KEY} \\
    ${typedProgram} provenance EIA.PET.PRICE.WTI.DAILY --all --server ${url}

${formatConnection(connection, {
  EIA_BASE_URL: upstream.url,
  EIA_API_KEY: DEMO_API_KEY,
  ATTESTER_KEY_PATH: chain.user.keyPath,
  GENESIS_HASH: devnet.genesisHash,
})}

The key is yours to practice with: its account is funded and may register feeds. The stand-in for EIA's API has invented
rows for every series of the catalog. This page leads to a feed of your own:

  ${url}/docs/agent

Press Ctrl-C to stop everything.

`
}

const describeDatasets = (
  url: string,
  verifyOptions: string,
): string => `Two datasets are attested as a whole: one root covers all their series. Read one that has no feed, and verify it:

  curl '${url}/v1/series?${seriesWithoutFeed}'

  ${typedProgram} verify '${url}/v1/series/proof?${seriesWithoutFeed}' \\
    ${verifyOptions}

`

function describeCommittee({ owner, endpoint, devnet }: DemoChain, { path, members }: DemoCommittee): string {
  const names = new Intl.ListFormat('en').format(members.map(({ name }) => name))
  return `
${members.length} agents attest together: ${names}. Each has a key of its own, and ${THRESHOLD} of ${members.length} keys must sign
a value. A feed's page shows the keys, and finds who signed its newest value. Compare the agents in a terminal:

  CASPER_RPC_URL=${endpoint.url} CASPER_CHAIN_NAME=${devnet.chainName} \\
    ATTESTER_ACCOUNT=${owner.signer.accountHash} \\
    ${typedProgram} committee status ${path}
`
}
