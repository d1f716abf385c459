import type { FeedProofCheck, FeedProofTrust } from './feedProof/checkFeedProof.ts'

/**
 * Checks a feed's proof without asking anyone: from a trusted block hash through the switch blocks to the block, its
 * state root, both registries and the reading.
 *
 * What a proof gets wrong is told by the links.
 *
 * @throws {DecodeError} when the JSON is no proof at all.
 * @throws {InvalidArgumentError} when something in `trust` is malformed.
 *
 * @example
 * ```ts
 * import { casperTest, verifyFeedProof } from 'wattfeed'
 *
 * const url = `http://localhost:4030/v1/feeds/EIA.PET.PRICE.WTI.DAILY/proof?from=${trustedBlockHash}`
 * const proof = await (await fetch(url)).json()
 * const { reading, links } = await verifyFeedProof(proof, { ...casperTest, trustedBlockHash })
 * if (reading === null) console.log(links.at(-1)) // what broke
 * ```
 */
export async function verifyFeedProof(json: unknown, trust: FeedProofTrust): Promise<FeedProofCheck> {
  const { checkFeedProof } = await import('./verifiers.ts')
  return checkFeedProof(json, trust)
}
