import { formatTable } from '../../runtime/formatTable.ts'
import type { FeedList, ListedFeed } from './listFeeds.ts'

const head = ['feed', 'on chain', 'period', 'value', 'unit', 'claimant']

/** A list of feeds for people. */
export function formatFeedList(chainName: string, { state_root_hash, feeds }: FeedList): string {
  const rows = feeds.map((feed) => [
    feed.feed_id,
    stateOf(feed),
    String(feed.period ?? '-'),
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

/** The kind and the first digits of an address tell accounts apart; JSON has them in full. */
const shorten = (address: string): string => address.replace(/^(.*-[0-9a-f]{8})[0-9a-f]+$/, '$1…')
