import { citeInWords, formatExact } from '../../cite/citation.ts'
import { proofUrl as formatProofUrl, verifyCommand } from '../../cite/verifyCommand.ts'
import type { Reading, Snapshot } from '../../client/index.ts'
import type { McpPlace, McpSources } from './sources.ts'
import { periodOf, quote } from './texts.ts'

/** The state of the chain that an answer was read at. */
export interface McpMoment {
  readonly chain: string
  readonly state_root: string
  /** Height of the block; null if the blocks are not verified. */
  readonly block: number | null
}

export const momentOf = (at: Snapshot, { network }: Pick<McpSources, 'network'>): McpMoment => ({
  chain: network.chainName,
  state_root: at.stateRootHash,
  block: at.verification?.blockHeight ?? null,
})

/** Returns the address of a proof; null if no server is known. */
export function proofUrl({ proofOrigin }: McpPlace, feedId: string, index: number | null): string | null {
  // The path of an id with a lone surrogate does not exist.
  if (proofOrigin === null || !feedId.isWellFormed()) return null
  return formatProofUrl(proofOrigin, feedId, index)
}

/** Returns the command that checks a proof, or says how else to check it. */
export const howToVerify = (url: string | null, { network }: Pick<McpSources, 'network'>): string =>
  url === null ? 'call verify_claim with a block hash that you trust' : verifyCommand(url, network)

/** The facts of a citation. */
export interface Cited extends Pick<Reading, 'feed_id' | 'title' | 'unit' | 'frequency' | 'decimals'> {
  amount: bigint
  period: number
  /** Epoch milliseconds. */
  attestedAt: number
  /** Index in the feed's history; null for the newest value. */
  index: number | null
}

/** Returns a citation: title, value, period, time of attestation, block, and how to verify it. */
export function cite(cited: Cited, moment: McpMoment, place: McpPlace, sources: McpSources): string {
  const { title, unit, frequency, decimals, amount, period, attestedAt, feed_id, index } = cited
  const { chain, block, state_root } = moment
  return citeInWords({
    title: quote(title),
    value: formatExact(amount, decimals),
    unit: quote(unit),
    period: periodOf(frequency, period).period_in_words,
    attestedAt,
    place: block === null ? `state root ${state_root.slice(0, 16)}` : `block ${block}`,
    chain,
    verify: howToVerify(proofUrl(place, feed_id, index), sources),
  })
}

export const citeReading = (
  reading: Reading,
  moment: McpMoment,
  place: McpPlace,
  sources: McpSources,
): string => cite({ ...reading, attestedAt: reading.updated_at, index: null }, moment, place, sources)
