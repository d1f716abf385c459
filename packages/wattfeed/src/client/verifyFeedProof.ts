import type { FeedProofCheck, FeedProofTrust } from './proof/feedProofCheck.ts'

/**
 * Verifies a feed's proof offline, without calling a node.
 *
 * It checks each link from a trusted block hash through the switch blocks to the block, its state root, both registries
 * and the reading. Set `feedId` and `index` in `trust`, so that a server cannot substitute another feed or value.
 *
 * @example
 * ```ts
 * import { casperTest, verifyFeedProof } from 'wattfeed'
 *
 * const feedId = 'EIA.PET.PRICE.WTI.DAILY'
 * const url = `http://localhost:4030/v1/feeds/${feedId}/proof?from=${trustedBlockHash}`
 * const proof = await (await fetch(url)).json()
 * const { reading, links } = await verifyFeedProof(proof, { ...casperTest, trustedBlockHash, feedId })
 * if (reading === null) console.log(links.at(-1)) // the link that failed
 * ```
 *
 * @param json - a {@link FeedProof} as parsed JSON
 * @param trust - the facts that the proof must match, from sources that you trust
 * @returns The reading, or null if a link failed; and all links that were checked.
 * @throws {@link DecodeError} when the JSON does not have the form of a proof.
 * @throws {@link InvalidArgumentError} when `trust` is invalid.
 */
export async function verifyFeedProof(json: unknown, trust: FeedProofTrust): Promise<FeedProofCheck> {
  const { checkFeedProof } = await loadVerifier()
  return checkFeedProof(json, trust)
}

/** Loads the verifier, so that the next check does not wait for it. */
export const loadVerifier = () => import('./proof/checkFeedProof.ts')
