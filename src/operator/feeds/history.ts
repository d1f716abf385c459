import { Type } from '@sinclair/typebox'
import { readablePeriod } from '@wattfeed/eia'
import { Option } from 'commander'
import type { Attestation, Client } from 'wattfeed'
import { FeedNotRegisteredError } from '../../feeds/file/feedConfig.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import { option } from '../../runtime/settings/option.ts'
import { formatAmount } from '../amounts.ts'
import { openClient } from '../open.ts'
import type { JsonOption, Program } from '../program.ts'
import { readsOnly, runFeeds } from './runFeeds.ts'

const help = `
Shows the newest values of a feed, oldest first, all at one state root: one call to the node for each.

Examples:
  $ bun run feeds history EIA.PET.PRICE.WTI.DAILY
  $ bun run feeds history EIA.PET.PRICE.WTI.DAILY --last 365 --json | jq -r '.values[] | [.period, .value] | @tsv'`

export function addHistory(program: Program): void {
  program
    .add('history', 'show the newest values of a feed', help)
    .argument('<id>', 'a feed on chain')
    .addOption(
      new Option('--last <count>', 'how many values')
        .argParser(option(Type.Integer({ minimum: 1, maximum: 999_999 })))
        .default(20),
    )
    .action((id: string, { last, ...options }: JsonOption & { last: number }) =>
      runFeeds(program, 'history', options, readsOnly, async (settings) => {
        const found = await readHistory(openClient(settings), id, last)
        return {
          report: { command: 'history', chain_name: settings.casperChainName, ...found },
          text: formatHistory(found),
        }
      }),
    )
}

export interface PastValue {
  /** Its index in the feed's history, from 0. */
  index: number
  period: number
  amount: string
  /** The exact amount, scaled by the feed's current decimals. */
  value: string
  source_hash: string
  /** `account-hash-…` or `hash-…` */
  attester: string
  /** Block time in epoch milliseconds. */
  timestamp: number
}

export interface HistoryReport {
  feed_id: string
  unit: string
  decimals: number
  /** Total number of attested values. */
  count: number
  /** Oldest first. */
  values: PastValue[]
}

/** Reads the newest values of a feed, at one state root. */
export async function readHistory(client: Client, feedId: string, limit: number): Promise<HistoryReport> {
  const at = await client.snapshot()
  const [feed, count] = await Promise.all([at.getFeed(feedId), at.getValueCount(feedId)])
  if (feed === null) throw new FeedNotRegisteredError({ feedId })
  const { unit, decimals } = feed
  const from = Math.max(0, count - limit)
  const attestations = await at.getValueHistory(feedId, { from, to: count })
  const values = attestations.map((each, offset) => pastValue(each, from + offset, decimals))
  return { feed_id: feedId, unit, decimals, count, values }
}

const pastValue = (attestation: Attestation, index: number, decimals: number): PastValue => ({
  index,
  period: attestation.period,
  amount: attestation.amount.toString(),
  value: formatAmount(attestation.amount, decimals),
  source_hash: attestation.source_hash,
  attester: attestation.attester,
  timestamp: attestation.timestamp,
})

const head = ['number', 'period', 'value', 'attested', 'source hash', 'attester']

export function formatHistory({ feed_id, unit, count, values }: HistoryReport): string {
  const rows = values.map(({ index, period, value, timestamp, source_hash, attester }) => [
    String(index),
    readablePeriod(period),
    value,
    formatTime(timestamp),
    source_hash,
    attester,
  ])
  const title = `${printable(feed_id)} in ${printable(unit)}: ${values.length} of ${count} values`
  return rows.length === 0 ? title : `${title}\n${formatTable([head, ...rows])}`
}

/** Formats a block's time, which may be too large for a date. */
const formatTime = (timestamp: number): string => {
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? String(timestamp) : date.toISOString()
}
