import type { Rpc } from '@wattfeed/casper'
import { loadSigner, type Signer } from '@wattfeed/casper/transaction'
import { createEiaClient, MAX_THROTTLE_MS } from '@wattfeed/eia'
import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../agent/feeds/loadFeeds.ts'
import { type Clocks, createClocks } from '../../agent/monitor/clocks.ts'
import type { AgentSettings } from '../../agent/settings/agentSettings.ts'
import { type Client, connect } from '../../library/client/createClient.ts'
import { checkBalance, checkRights } from './checkAccount.ts'
import { checkContracts } from './checkContracts.ts'
import { checkEia } from './checkEia.ts'
import { checkFeeds } from './checkFeeds.ts'
import { checkClock, checkFolders, checkPort } from './checkMachine.ts'
import { checkNodes } from './checkNodes.ts'
import { type Finding, failed, hasFailed, orFailed, passed, skipped, warned } from './finding.ts'

/** What the checks run in; tests replace it. */
export interface DoctorContext {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Epoch milliseconds. */
  now: () => number
  /** Called before each group of checks, with what it looks at. */
  onCheck: (what: string) => void
}

/** Runs every check that an agent with these settings depends on. Nothing is sent to the chain, and nothing stays on disk. */
export async function runDoctor(settings: AgentSettings, context: DoctorContext): Promise<Finding[]> {
  const { now, onCheck } = context
  const clocks = createClocks(context)
  const { fetch } = clocks
  onCheck('this machine')
  const machine = [...checkFolders(settings), checkPort(settings)]
  const { signer, findings: key } = await checkKey(settings)
  const { feeds, findings: file } = await checkFeedsFile(settings)
  onCheck('EIA')
  const eia = await checkEiaKey(settings, feeds, fetch)
  onCheck('the nodes')
  const { rpc, client } = connect({ ...settings, fetch })
  const nodes = await checkNodes(rpc, now)
  onCheck('the chain')
  const canRead = nodes.some(({ state }) => state !== 'failed')
  const chain = canRead
    ? await checkChain(rpc, settings, { signer, feeds, client })
    : [skipped('chain', 'no node can be read')]
  return [...machine, checkClock(clocks.list()), ...key, ...eia, ...nodes, ...file, ...chain]
}

async function checkKey({
  keyPath,
  account,
}: AgentSettings): Promise<{ signer: Signer | null; findings: readonly Finding[] }> {
  const check = 'ATTESTER_KEY_PATH'
  let signer: Signer | null = null
  const findings = await orFailed(check, async () => {
    const loaded = await loadSigner(keyPath, account)
    signer = loaded.signer
    const found = `signs for ${signer.accountHash}`
    return loaded.warning === null
      ? passed(check, found)
      : warned(check, loaded.warning, `run chmod 600 ${keyPath}`)
  })
  return { signer, findings }
}

async function checkFeedsFile({
  feedsFile,
}: AgentSettings): Promise<{ feeds: readonly FeedConfig[]; findings: readonly Finding[] }> {
  const check = 'FEEDS_FILE'
  let feeds: readonly FeedConfig[] = []
  const findings = await orFailed(check, async () => {
    feeds = await loadFeeds(feedsFile)
    return passed(check, `${feedsFile ?? 'the feeds that come with wattfeed'}, ${feeds.length} feeds`)
  })
  return { feeds, findings }
}

function checkEiaKey(
  { apiKey, eiaBaseUrl, eiaRequestsPerSecond }: AgentSettings,
  [feed]: readonly FeedConfig[],
  fetch: Clocks['fetch'],
): Promise<readonly Finding[]> {
  const check = 'EIA_API_KEY'
  return orFailed(check, async () => {
    if (apiKey === null)
      return failed(check, 'is not set', 'get one, free, at https://www.eia.gov/opendata/register.php')
    if (feed === undefined) return skipped(check, 'the feeds file has no feed to ask EIA for')
    const eia = createEiaClient({
      baseUrl: eiaBaseUrl,
      apiKey,
      requestsPerSecond: eiaRequestsPerSecond,
      giveUpAfterMs: MAX_THROTTLE_MS,
      fetch,
    })
    return checkEia(eia, feed)
  })
}

interface ChainParts {
  readonly signer: Signer | null
  readonly feeds: readonly FeedConfig[]
  readonly client: Client
}

async function checkChain(
  rpc: Rpc,
  settings: AgentSettings,
  { signer, feeds, client }: ChainParts,
): Promise<readonly Finding[]> {
  const contracts = await orFailed('contracts', () => checkContracts(rpc, settings))
  if (signer === null) return [...contracts, skipped('account', 'the key cannot be used')]
  const account = [
    ...(await orFailed('rights', () => checkRights(rpc, signer, settings))),
    ...(await orFailed('balance', () => checkBalance(rpc, signer, settings, feeds))),
  ]
  if (hasFailed(contracts))
    return [...contracts, ...account, skipped('feeds', 'the registries cannot be read')]
  const claims = await orFailed('feeds', () =>
    checkFeeds({ rpc, client }, signer, settings.feedRegistryPackageHash, feeds),
  )
  return [...contracts, ...account, ...claims]
}
