import type { FeedProofCheck, FeedProofTrust } from './feedProof/feedProofCheck.ts'

/**
 * Checks a feed's proof offline: from a trusted block hash through the switch blocks to the block, its state root, both
 * registries and the reading. The links say where a proof fails. Name `feedId` and `index` in `trust` where a server could
 * pass off another value.
 *
 * @throws {DecodeError} when the JSON does not have the form of a proof.
 * @throws {InvalidArgumentError} when `trust` is invalid.
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
  const { checkFeedProof } = await import('./feedProof/checkFeedProof.ts')
  return checkFeedProof(json, trust)
}
