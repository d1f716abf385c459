/** The levels of verification, from least to most. */
export const verifyLevels = ['off', 'proofs', 'full'] as const

/**
 * Verification level of a node's answers.
 *
 * - `off`: nothing. The node is trusted.
 * - `proofs`: every value against the state root of a block, and that block against the validators that the node names.
 *   A node that invents validators is not detected.
 * - `full`: the validators too, back to a block hash that the user trusts.
 */
export type VerifyLevel = (typeof verifyLevels)[number]

/** The verification of the block that a snapshot reads from. */
export interface Verification {
  /** The level that was reached. */
  readonly level: Exclude<VerifyLevel, 'off'>
  /** Height of the block. */
  readonly blockHeight: number
  /** Hash of the block: 64 hex digits. */
  readonly blockHash: string
  /** Era of the block. */
  readonly eraId: number
  /** Weight that signed, in motes. Counting stops when it is enough. */
  readonly weightSigned: bigint
  /** Weight of all validators of the era, in motes. Both weights are 0 for the trusted block itself. */
  readonly weightTotal: bigint
  /** Time of the block, in epoch milliseconds. */
  readonly blockTimestamp: number
  /** Age of the block when it was read, in milliseconds; 0 if its time is ahead of this machine's clock. */
  readonly ageMs: number
}
