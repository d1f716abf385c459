import { type CheckedLink, InvalidArgumentError, type ProvenAtBlock, verifyFeedProof } from 'wattfeed'
import { decodeProofBlock, isSamePrint } from 'wattfeed/internal'
import type { HistoryItemBody } from '../../api/schemas.ts'
import { formatTime } from '../../web/cite/citation.ts'
import { formatExact } from '../../web/cite/formatExact.ts'
import { valueNotFound } from '../notFound.ts'
import type { McpCall } from './sources.ts'

interface ProvenValue {
  amount: bigint
  decimals: number
  /** What the proof shows about later values. */
  scope: string
}

/** A complete history is proven up to this number of values. */
const MAX_LISTED = 1_000

/**
 * Proves a value as of the block of the proof. Also proves that no later one revises it, if it is the newest of its feed or the feed has at
 * most {@link MAX_LISTED} values. Otherwise the scope says that the later ones are not covered.
 *
 * @throws the errors of the proof endpoints, such as 429 while another proof of that length is made.
 */
export async function proveValue(
  feedId: string,
  { index, period }: Pick<HistoryItemBody, 'index' | 'period'>,
  trustedBlockHash: string,
  { sources, signal }: McpCall,
): Promise<ProvenValue | { broken: string }> {
  const { client, network } = sources
  const options = { from: trustedBlockHash, signal }
  const proof = await client.getFeedProof(feedId, { ...options, index }).catch(rejectTrust)
  if (proof === null) throw await client.withSnapshot((at) => valueNotFound(at, feedId, index))
  // The settings of a server have more than the network, and a proof's check refuses options that it does not have.
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = network
  const registries = { feedRegistryPackageHash, attestationRegistryPackageHash }
  const trust = { chainName, ...registries, trustedBlockHash, feedId }
  const { reading, count = 0, links } = await verifyFeedProof(proof, { ...trust, index })
  if (reading === null) return { broken: describeLink(links) }
  const { amount, decimals } = reading
  if (reading.period !== period) return { broken: `period: the value ${index} is of ${reading.period}` }
  const proven = (scope: string): ProvenValue => ({ amount, decimals, scope })
  if (index === count - 1)
    return proven(`${asOf(proof)}, it is the newest value of the feed, so no later one revises it.`)
  if (count > MAX_LISTED)
    return proven(
      `${asOf(proof)}, it is value ${index + 1} of ${count}. The proof does not cover the later ones, which could revise it.`,
    )
  const list = await client.getHistoryProof(feedId, options)
  if (list === null) return { broken: 'history: the node has none' }
  const checked = await verifyFeedProof(list, { ...trust, list: 'history' })
  const last = checked.history?.values.findLast((value) => value.period === period)
  if (last === undefined) return { broken: describeLink(checked.links) }
  // A node hides a revision, or one was just attested.
  if (!isSamePrint(feedId, last, reading))
    return {
      broken: `history: the last value of the period is ${formatExact(last.amount, decimals)}${last.amount === amount ? `, with the root ${last.source_hash}` : ''}`,
    }
  return proven(`${asOf(list)}, the proof of the complete history shows that no later value revises it.`)
}

/** Names the block of a proof that holds, and its time. A node may choose an old one. */
function asOf({ block }: ProvenAtBlock): string {
  const { height, timestamp } = decodeProofBlock(block).header
  return `As of block ${height}, ${formatTime(timestamp)}`
}

const describeLink = (links: readonly CheckedLink[]): string => {
  const broken = links.at(-1)
  return `${broken?.link}: ${broken?.detail}`
}

/** Names the argument of the tool in the error for a wrong block. */
function rejectTrust(error: unknown): never {
  if (error instanceof InvalidArgumentError && error.argument === 'from')
    throw new InvalidArgumentError('trusted_block_hash', error.rule)
  throw error
}
