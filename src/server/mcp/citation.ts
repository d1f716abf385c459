import type { Feed, Reading, Snapshot } from 'wattfeed'
import type { HistoryItemBody } from '../../api/schemas.ts'
import { feedUrl, proofUrl as formatProofUrl } from '../../web/cite/addresses.ts'
import { citeInWords } from '../../web/cite/citation.ts'
import { formatExact } from '../../web/cite/formatExact.ts'
import { verifyCommand } from '../../web/cite/verifyCommand.ts'
import { periodInWords } from '../feedTexts.ts'
import type { McpPlace, McpSources } from './sources.ts'
import { QUOTED, quote } from './texts.ts'

/** The state of the chain that an answer was read at. */
export interface McpMoment {
  readonly chain: string
  readonly state_root: string
  /** Height of the block; null if the blocks are not verified, because then no block is read. */
  readonly block: number | null
  readonly block_hash: string | null
}

export const momentOf = (at: Snapshot, { network }: Pick<McpSources, 'network'>): McpMoment => ({
  chain: network.chainName,
  state_root: at.stateRootHash,
  block: at.verification?.blockHeight ?? null,
  block_hash: at.verification?.blockHash ?? null,
})

/** Returns the address of a proof; null if no server is known. */
export function proofUrl({ proofOrigin }: McpPlace, feedId: string, index: number | null): string | null {
  // The path of an id with a lone surrogate does not exist.
  if (proofOrigin === null || !feedId.isWellFormed()) return null
  return formatProofUrl(proofOrigin, feedId, index)
}

/** Returns the address of a feed's page; null if no server is known. */
export const pageUrl = ({ proofOrigin }: McpPlace, feedId: string): string | null =>
  proofOrigin === null || !feedId.isWellFormed() ? null : feedUrl(proofOrigin, feedId)

/**
 * Returns the command that checks a proof; null if the id has no address. Without a known server, the command leaves its place
 * open.
 */
export function proofCommand(
  { proofOrigin }: McpPlace,
  feedId: string,
  index: number | null,
  { network }: Pick<McpSources, 'network'>,
): string | null {
  if (!feedId.isWellFormed()) return null
  return verifyCommand(formatProofUrl(proofOrigin ?? '<server>', feedId, index), network)
}

/** Says what to fill in before the command of a citation runs. */
export function describeCommand({ proofOrigin, isOwnMachine }: McpPlace): string {
  const hash =
    'Replace <block hash> with the hash of a switch block (the last block of an era) that you trust, from a block explorer or your own node.'
  if (proofOrigin !== null) return hash
  const why = isOwnMachine
    ? 'none was given with --server'
    : 'the operator of this one has not set its address'
  return `${hash} Replace <server> with the address of a wattfeed server: ${why}.`
}

export interface Cited
  extends Pick<Reading, 'feed_id' | 'title' | 'unit' | 'route' | 'frequency' | 'decimals'> {
  amount: bigint
  period: number
  /** Epoch milliseconds. */
  attestedAt: number
  /** Index in the feed's history; null for the newest value. */
  index: number | null
}

/** Returns a citation: title, value, period, time of attestation, block, and how to verify it. */
export function cite(cited: Cited, moment: McpMoment, place: McpPlace, sources: McpSources): string {
  const { title, unit, decimals, amount, period, attestedAt, feed_id, index } = cited
  const { chain, block, state_root } = moment
  return citeInWords({
    title: quote(title),
    value: formatExact(amount, decimals),
    unit: quote(unit),
    period: periodInWords(cited, period),
    attestedAt,
    place: block === null ? `state root ${state_root}` : `block ${block}`,
    chain,
    verify:
      proofCommand(place, feed_id, index, sources) ?? 'not possible, because no address can have this id',
  })
}

export const citedReading = (reading: Reading): Cited => ({
  ...reading,
  attestedAt: reading.updated_at,
  index: null,
})

/** Returns a row of a feed's history as it is cited. */
export const citedRow = (
  { index, period, amount, attested_at }: HistoryItemBody,
  feed_id: string,
  feed: Feed,
): Cited => ({ ...feed, feed_id, index, period, amount: BigInt(amount), attestedAt: attested_at })

/** Returns the last lines of an answer: a citation, how to run its command, and whose texts it quotes. */
export const citationLines = (
  cited: Cited,
  moment: McpMoment,
  place: McpPlace,
  sources: McpSources,
): readonly string[] => [cite(cited, moment, place, sources), describeCommand(place), QUOTED]
