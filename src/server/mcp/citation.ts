import { casperTest, type Reading, type Snapshot } from '../../client/index.ts'
import type { McpPlace, McpSources } from './sources.ts'
import { formatExact, formatTime, periodOf, quote } from './texts.ts'

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

/** Percent-encodes an id, including the quotes and brackets of shells. */
const encoded = (id: string): string =>
  encodeURIComponent(id).replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Returns the address of a proof; null if no server is known. */
export function proofUrl({ proofOrigin }: McpPlace, feedId: string, index: number | null): string | null {
  // The path of an id with a lone surrogate does not exist.
  if (proofOrigin === null || !feedId.isWellFormed()) return null
  const path = index === null ? 'proof' : `history/${index}/proof`
  return `${proofOrigin}/v1/feeds/${encoded(feedId)}/${path}`
}

/** Returns the command that checks a proof, or says how else to check it. */
export function howToVerify(url: string | null, { network }: Pick<McpSources, 'network'>): string {
  if (url === null) return 'call verify_claim with a block hash that you trust'
  const { chainName, feedRegistryPackageHash: feeds, attestationRegistryPackageHash: values } = network
  const flags =
    chainName === casperTest.chainName && feeds === casperTest.feedRegistryPackageHash
      ? ''
      : ` --chain-name ${chainName} --feed-registry ${feeds} --attestation-registry ${values}`
  return `wattfeed verify ${url} --trust <block hash>${flags}`
}

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
  const { period_in_words } = periodOf(frequency, period)
  const { chain, block, state_root } = moment
  const where = block === null ? `state root ${state_root.slice(0, 16)}` : `block ${block}`
  const verify = howToVerify(proofUrl(place, feed_id, index), sources)
  return `${quote(title)}: ${formatExact(amount, decimals)} ${quote(unit)} for ${period_in_words}, attested ${formatTime(attestedAt)}, ${where} of ${chain}. Verify: ${verify}`
}

export const citeReading = (
  reading: Reading,
  moment: McpMoment,
  place: McpPlace,
  sources: McpSources,
): string => cite({ ...reading, attestedAt: reading.updated_at, index: null }, moment, place, sources)
