import { readablePeriod } from '@wattfeed/eia'
import pLimit from 'p-limit'
import type { Client, Snapshot } from 'wattfeed'
import { type Difference, type FeedConfig, listDifferences } from '../../feeds/file/feedConfig.ts'
import { loadFeeds } from '../../feeds/file/loadFeeds.ts'
import { exitCodes } from '../../runtime/exitCodes.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { formatAmount } from '../amounts.ts'
import { openClient } from '../open.ts'
import type { JsonOption, Program } from '../program.ts'
import { readsOnly, runFeeds } from './runFeeds.ts'

const help = `
Shows every feed that is registered on chain or in the feeds file: whether both agree, and the newest value.
Exits with 2 if a configured feed is not on chain, or not as configured.

Examples:
  $ bun run feeds list
  $ bun run feeds list --json | jq -r '.feeds[] | select(.is_registered | not) | .feed_id'`

const PROGRESS_EVERY = 100

export function addList(program: Program): void {
  program
    .add('list', 'show feeds on chain and in the feeds file side by side', help)
    .action((options: JsonOption) =>
      runFeeds(program, 'list', options, readsOnly, async (settings) => {
        const { casperChainName: chainName, feedsFile } = settings
        const found = await listFeeds(openClient(settings), await loadFeeds(feedsFile), (done, total) => {
          if (done % PROGRESS_EVERY === 0) program.terminal.progress(`${done} of ${total} feeds read`)
        })
        return {
          report: { command: 'list', chain_name: chainName, ...found },
          text: formatFeedList(chainName, found),
          exitCode: isInStep(found) ? exitCodes.done : exitCodes.someFailed,
        }
      }),
    )
}

export interface ListedFeed {
  feed_id: string
  is_configured: boolean
  is_registered: boolean
  /** The address that may attest to it, as `account-hash-…` or `hash-…`; null if it is not registered. */
  claimant: string | null
  /** Empty if both agree, or if it is in one place only. */
  differences: Difference[]
  /** Why the configured series is not verified, or null. */
  unverified: string | null
  /** Newest period on chain; null without a value. */
  period: number | null
  amount: string | null
  /** The exact scaled amount; null also if it is not registered. */
  value: string | null
  /** As registered. */
  unit: string | null
  /** Block time of the newest value in epoch milliseconds. */
  updated_at: number | null
}

/** Every feed that is on chain or configured, at one state root. */
export interface FeedList {
  /** 64 hex digits. */
  state_root_hash: string
  /** The configured ones in the file's order, then the others in the registry's. */
  feeds: ListedFeed[]
}

/** Called with the progress: how many feeds were read, of how many. */
export type OnRead = (done: number, total: number) => void

/** Feeds read at once: each takes a few calls, which must end within the deadline of a read. */
const CONCURRENCY = 16

/** Reads every feed that is registered or configured, all at one state root. */
export async function listFeeds(
  client: Client,
  configs: readonly FeedConfig[],
  onRead: OnRead = () => {},
): Promise<FeedList> {
  const at = await client.snapshot()
  const limit = pLimit(CONCURRENCY)
  const count = await at.feedCount()
  const registered = await limit.map(Array.from({ length: count }), (_, index) => at.feedIdAt(index))
  const byId = new Map(configs.map((config) => [config.feed_id, config]))
  const ids = [...new Set([...byId.keys(), ...registered.filter((id) => id !== null)])]
  let done = 0
  const feeds = await limit.map(ids, async (feedId) => {
    const feed = await readListed(at, feedId, byId.get(feedId) ?? null)
    onRead(++done, ids.length)
    return feed
  })
  return { state_root_hash: at.stateRootHash, feeds }
}

async function readListed(at: Snapshot, feedId: string, config: FeedConfig | null): Promise<ListedFeed> {
  const [feed, claimant, latest] = await Promise.all([
    at.getFeed(feedId),
    at.getClaimant(feedId),
    at.getValue(feedId),
  ])
  return {
    feed_id: feedId,
    is_configured: config !== null,
    is_registered: feed !== null,
    claimant,
    differences: config && feed ? listDifferences(config, feed) : [],
    unverified: config?.unverified ?? null,
    period: latest?.period ?? null,
    amount: latest?.amount.toString() ?? null,
    value: feed && latest ? formatAmount(latest.amount, feed.decimals) : null,
    unit: feed?.unit ?? null,
    updated_at: latest?.timestamp ?? null,
  }
}

/** Returns whether every configured feed is on chain as configured. Feeds that are only on chain do not count. */
export const isInStep = ({ feeds }: FeedList): boolean =>
  feeds.every(({ is_registered, differences }) => is_registered && differences.length === 0)

const head = ['feed', 'on chain', 'period', 'value', 'unit', 'claimant']

export function formatFeedList(chainName: string, { state_root_hash, feeds }: FeedList): string {
  const rows = feeds.map((feed) => [
    feed.feed_id,
    stateOf(feed),
    feed.period === null ? '-' : readablePeriod(feed.period),
    feed.value ?? '-',
    feed.unit ?? '-',
    feed.claimant === null ? '-' : shorten(feed.claimant),
  ])
  const registered = feeds.filter((feed) => feed.is_registered).length
  const configured = feeds.filter((feed) => feed.is_configured).length
  return [
    `${chainName} at state root ${state_root_hash}`,
    formatTable([head, ...rows]),
    `${registered} registered, ${configured} configured`,
  ].join('\n')
}

function stateOf({ is_configured, is_registered, differences, unverified }: ListedFeed): string {
  const marks = [
    is_registered ? null : 'not registered',
    is_configured ? null : 'not configured',
    differences.length === 0 ? null : `differs: ${differences.map(({ field }) => field).join(', ')}`,
    unverified === null ? null : 'unverified',
  ].filter((mark) => mark !== null)
  return marks.length === 0 ? 'as configured' : marks.join('; ')
}

/** Shortens an address to its kind and first digits; JSON has it in full. */
const shorten = (address: string): string => address.replace(/^(.*-[0-9a-f]{8})[0-9a-f]+$/, '$1…')
