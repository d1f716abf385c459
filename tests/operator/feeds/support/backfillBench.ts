import type { Destination } from '@wattfeed/casper/sqlite'
import { type AnswerRpc, createDevnet, type Devnet } from '@wattfeed/casper-devnet'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { createSender, signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import { sendOrThrow } from 'wattfeed/testing/installContract'
import { installRegistries, type Packages } from 'wattfeed/testing/installRegistries'
import { type Client, connect } from '../../../../packages/wattfeed/src/client/createClient.ts'
import { registerArguments } from '../../../../packages/wattfeed/src/registry/calls.ts'
import type { Platform } from '../../../../src/agent/run/platform.ts'
import { type AgentSettings, readAgentSettings } from '../../../../src/agent/settings/agentSettings.ts'
import { feedMetadata, type SeriesConfig } from '../../../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../../../src/feeds/file/loadFeeds.ts'
import {
  type BackfillOptions,
  type BackfillParts,
  backfill,
} from '../../../../src/operator/feeds/backfill/backfill.ts'
import type { BackfillReport } from '../../../../src/operator/feeds/backfill/backfillReport.ts'
import { registerPaymentMotes } from '../../../../src/operator/feeds/register/registerPayment.ts'
import { clientOptions } from '../../../../src/runtime/settings/readerSettings.ts'
import { turn } from '../../../agent/run/fakes.ts'
import { ageState, pendingHashes } from '../../../support/state.ts'
import { startTestUpstream, type TestUpstream } from '../../../support/testUpstream.ts'

const flagship = await loadFeeds(null)

/** Registered and configured, so that tests pass on any day. */
export const [feed, otherFeed] = ['EIA.PET.PRICE.WTI.DAILY', 'EIA.PET.PRICE.BRENT.DAILY'].map((id) => {
  const found = flagship.find(({ feed_id }) => feed_id === id)
  if (found === undefined) throw new Error(`no feed ${id}`)
  return { ...found, allow_future: true }
}) as [SeriesConfig, SeriesConfig]

/** The embedded chain, an upstream on loopback and a state folder; the command runs in this process. */
export interface BackfillBench extends AsyncDisposable {
  devnet: Devnet
  upstream: TestUpstream
  folder: Folder
  environment: Record<string, string>
  settings: AgentSettings
  platform: Platform
  client: Client
  /** Of the attestations. */
  destination: Destination
  /** The output: warnings, progress and milestones. */
  said: { warnings: string[]; milestones: string[]; progress: string[] }
  /** Publishes values of January 2026 upstream, by day. */
  publish(values: Readonly<Record<number, string | null>>): void
  /** The feed's history on chain: `day amount`. */
  history(): Promise<string[]>
  run(
    options: BackfillOptions,
    parts?: Partial<BackfillParts>,
  ): Promise<{ report: BackfillReport; text: string; exitCode?: number }>
  /** Hashes of the pending transactions. */
  pending(): string[]
}

const NODE_URL = 'http://node.test/rpc'

/** The first fixture row of the feed's series is later than this. */
export const january: BackfillOptions = { from: '2026-01-01', to: '2026-01-31' }

/**
 * @param options.between wraps the chain for the command
 * @param options.isNewState whether the state folder does not exist yet
 */
export async function createBackfillBench({
  between = (answer) => answer,
  isNewState = false,
}: {
  between?: (answer: AnswerRpc) => AnswerRpc
  isNewState?: boolean
} = {}): Promise<BackfillBench> {
  const booted = await bootOnce('backfill', boot)
  const devnet = booted.devnet.fork()
  const upstream = startTestUpstream()
  const folder = createFolder()
  const node = localFetch(between(devnet.call))
  const said: BackfillBench['said'] = { warnings: [], milestones: [], progress: [] }
  const [account] = devnet.accounts
  const environment = {
    EIA_API_KEY: 'any',
    EIA_BASE_URL: upstream.url,
    EIA_RPS: '1000',
    FEEDS_FILE: folder.write('feeds.json', JSON.stringify([feed, otherFeed])),
    ATTESTER_KEY_PATH: folder.write('key.pem', account?.secretKeyPem ?? ''),
    AGENT_STATE_DIR: `${folder.path}/state`,
    AGENT_PORT: '0',
    CASPER_RPC_URL: NODE_URL,
    CASPER_CHAIN_NAME: devnet.chainName,
    FEED_REGISTRY_PACKAGE_HASH: booted.packages.FeedRegistry,
    ATTESTATION_REGISTRY_PACKAGE_HASH: booted.packages.AttestationRegistry,
    ...patientSettings,
  }
  const settings = readAgentSettings(environment, { writes: true, fetches: true })
  if (!isNewState) ageState(settings.agentStateDir)
  const platform: Platform = {
    fetch: (url, init) => (url === NODE_URL ? node(url, init) : fetch(url, init)),
    now: Date.now,
    wait: () => turn(),
    random: () => 0.5,
  }
  const { client } = connect({ ...clientOptions(settings), fetch: localFetch(devnet.call) })
  return {
    devnet,
    upstream,
    folder,
    environment,
    settings,
    platform,
    client,
    destination: {
      chainName: settings.casperChainName,
      contract: settings.attestationRegistryPackageHash,
      account: account?.accountHash ?? '',
    },
    said,
    publish(values) {
      for (const [day, value] of Object.entries(values))
        upstream.setRow(feed, { period: `2026-01-${day.padStart(2, '0')}`, value })
    },
    history: async () =>
      (await client.getValueHistory(feed.feed_id)).map(({ period, amount }) => `${period % 100} ${amount}`),
    async run(options, parts = {}) {
      const listener = {
        warn: (line: string) => void said.warnings.push(line),
        progress: (line: string) => void said.progress.push(line),
        milestone: (line: string) => void said.milestones.push(line),
      }
      const done = await backfill(settings, feed.feed_id, options, listener, { platform, ...parts })
      return { ...done, report: done.report as BackfillReport }
    },
    pending: () => pendingHashes(settings.agentStateDir),
    async [Symbol.asyncDispose]() {
      await upstream.stop()
      await devnet.stop()
      folder[Symbol.dispose]()
    },
  }
}

const bootOnce = createBootOnce<{ devnet: Devnet; packages: Packages }>()

/** A chain on which the first account has registered the feeds. */
async function boot(): Promise<{ devnet: Devnet; packages: Packages }> {
  const devnet = createDevnet({ chainName: 'backfill-net', seed: 'backfill', accounts: 1 })
  const [signer] = await signersOf(devnet.accounts)
  if (signer === undefined) throw new Error('the chain has no account')
  const { call: answer, chainName } = devnet
  const sender = createSender({ answer, chainName, now: Date.now, produceBlock: () => {} })
  const packages = await installRegistries(sender, { signer, account: signer.accountHash })
  for (const config of [feed, otherFeed]) {
    const metadata = feedMetadata(config)
    await sendOrThrow(sender, {
      signer,
      target: { packageHash: packages.FeedRegistry, entryPoint: 'register_feed' },
      args: registerArguments(config.feed_id, metadata),
      paymentMotes: registerPaymentMotes(config.feed_id, metadata),
    })
  }
  return { devnet, packages }
}
