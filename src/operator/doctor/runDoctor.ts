import type { Rpc } from '@wattfeed/casper'
import { loadSigner, type Signer } from '@wattfeed/casper/transaction'
import { createEiaClient, MAX_THROTTLE_MS } from '@wattfeed/eia'
import type { Client } from 'wattfeed'
import { connect } from 'wattfeed/internal'
import { readPeers } from '../../agent/committee/readPeers.ts'
import type { AgentSettings } from '../../agent/settings/agentSettings.ts'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import { loadFeeds } from '../../feeds/file/loadFeeds.ts'
import { type Clocks, createClocks } from '../../runtime/clocks.ts'
import { clientOptions } from '../../runtime/settings/readerSettings.ts'
import { plural } from '../plural.ts'
import { checkBalance, checkRights } from './checkAccount.ts'
import { checkContracts } from './checkContracts.ts'
import { checkEia } from './checkEia.ts'
import { checkFeeds } from './checkFeeds.ts'
import { checkClock, checkFolders, checkPorts } from './checkMachine.ts'
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
  const machine = [...checkFolders(settings), ...checkPorts(settings)]
  const { signer, findings: key } = await checkKey(settings)
  const committee = await checkMembersFile(settings, signer)
  const { feeds, findings: file } = await checkFeedsFile(settings)
  onCheck('EIA')
  const eia = await checkEiaKey(settings, feeds, fetch)
  onCheck('the nodes')
  const { rpc, client } = connect({ ...clientOptions(settings), fetch })
  const nodes = await checkNodes(rpc, now)
  onCheck('the chain')
  const canRead = nodes.some(({ state }) => state !== 'failed')
  const chain = canRead
    ? await checkChain(rpc, settings, { signer, feeds, client })
    : skipAll(
        ['contracts', 'rights', 'balance', 'eligibility', 'feeds'],
        'no node of CASPER_CHAIN_NAME answers',
      )
  return [...machine, checkClock(clocks.list()), ...key, ...committee, ...eia, ...nodes, ...file, ...chain]
}

async function checkKey({
  attesterKeyPath,
  attesterAccount,
}: AgentSettings): Promise<{ signer: Signer | null; findings: readonly Finding[] }> {
  const check = 'ATTESTER_KEY_PATH'
  let signer: Signer | null = null
  const findings = await orFailed(check, async () => {
    const loaded = await loadSigner(attesterKeyPath, attesterAccount)
    signer = loaded.signer
    const found = `signs for ${signer.accountHash}`
    return loaded.warning === null
      ? passed(check, found)
      : warned(check, loaded.warning, `run chmod 600 ${attesterKeyPath}`)
  })
  return { signer, findings }
}

/** Checks that the members file lists this key, and where the other members are. */
function checkMembersFile(
  { committeePeers: path }: AgentSettings,
  signer: Signer | null,
): Promise<readonly Finding[]> {
  const check = 'COMMITTEE_PEERS'
  return orFailed(check, async () => {
    if (path === null) return []
    if (signer === null) return skipped(check, 'the key cannot be used')
    const { members } = await readPeers(path, signer.keyHash)
    return passed(check, `${path}, ${plural(members.length, 'member')}`)
  })
}

async function checkFeedsFile({
  feedsFile,
}: AgentSettings): Promise<{ feeds: readonly FeedConfig[]; findings: readonly Finding[] }> {
  const check = 'FEEDS_FILE'
  let feeds: readonly FeedConfig[] = []
  const findings = await orFailed(check, async () => {
    feeds = await loadFeeds(feedsFile)
    return passed(
      check,
      `${feedsFile ?? 'the feeds that come with wattfeed'}, ${plural(feeds.length, 'feed')}`,
    )
  })
  return { feeds, findings }
}

function checkEiaKey(
  { eiaApiKey: apiKey, eiaBaseUrl, eiaRps }: AgentSettings,
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
      requestsPerSecond: eiaRps,
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
  if (signer === null)
    return [...contracts, ...skipAll(['rights', 'balance', 'eligibility', 'feeds'], 'the key cannot be used')]
  const rights = await orFailed('rights', () => checkRights(rpc, signer, settings))
  const canRead = !hasFailed(contracts)
  let aheadMotes = 0n
  const claims = canRead
    ? await orFailed('feeds', async () => {
        const found = await checkFeeds({ rpc, client }, signer, settings.feedRegistryPackageHash, feeds)
        aheadMotes = found.aheadMotes
        return found.findings
      })
    : skipAll(['eligibility', 'feeds'], 'the registries cannot be read')
  const balance = await orFailed('balance', () => checkBalance(rpc, signer, settings, { feeds, aheadMotes }))
  return [...contracts, ...rights, ...balance, ...claims]
}

const skipAll = (checks: readonly string[], why: string): Finding[] =>
  checks.map((check) => skipped(check, why))
