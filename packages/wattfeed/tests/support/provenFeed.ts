import type { FeedProof, FeedProofCheck, FeedProofTrust, Reading } from 'wattfeed'
import { verifyFeedProof } from '../../src/client/verifyFeedProof.ts'
import { createVerifiedWorld, type VerifiedWorld } from './verifiedWorld.ts'
import { WTI } from './world.ts'

/** A feed's proof from the first block of an embedded chain on, and its proven values. */
export interface ProvenFeed {
  proof: FeedProof
  trust: FeedProofTrust
  reading: Reading
}

/** Returns the JSON of a feed's proof at the newest block, for its newest value or the one at an index. */
export async function proofOf(
  world: VerifiedWorld,
  feedId = WTI,
  from: string | null = world.genesisHash,
  index: number | null = null,
): Promise<FeedProof> {
  const proof = await world.client([0], { verify: 'off' }).getFeedProof(feedId, { from, index })
  if (proof === null) throw new Error(`${feedId} has a value`)
  return JSON.parse(JSON.stringify(proof))
}

/** Arguments for checking proofs of a chain. */
export const trustIn = ({ genesisHash, network }: VerifiedWorld): FeedProofTrust => ({
  ...network,
  trustedBlockHash: genesisHash,
})

/** A proof through the switch blocks of this number of eras and the first block. */
export async function createProvenFeed(eras = 2): Promise<ProvenFeed> {
  await using world = await createVerifiedWorld({ nodes: 1, eras })
  const [proof, trust] = [await proofOf(world), trustIn(world)]
  const { reading } = await verifyFeedProof(proof, trust)
  if (reading === null) throw new Error('it is proven')
  return { proof, trust, reading }
}

/** The link that broke, or null if the proof is valid. */
export const brokenLink = ({ reading, links }: FeedProofCheck): string | null =>
  reading === null ? (links.at(-1)?.link ?? 'none') : null
