/** In ascending order. */
export const verifyLevels = ['off', 'proofs', 'full'] as const

/**
 * How much of a node's answers is checked.
 *
 * - `off`: nothing; the node is trusted.
 * - `proofs`: every value against the state root of a block, and that block against the validators that the node
 *   names. A node that invents validators goes undetected.
 * - `full`: the validators too, back to a block hash that the user trusts.
 */
export type VerifyLevel = (typeof verifyLevels)[number]

/** What was verified about the block that a snapshot reads from. */
export interface Verification {
  readonly level: Exclude<VerifyLevel, 'off'>
  readonly blockHeight: number
  /** 64 hex digits. */
  readonly blockHash: string
  readonly eraId: number
  /** Weight that signed, in motes; counting stops once it suffices. */
  readonly weightSigned: bigint
  /** Weight of all validators of the era, in motes. Both weights are 0 for the trusted block itself. */
  readonly weightTotal: bigint
  /** The block's own time, in epoch milliseconds. */
  readonly blockTimestamp: number
  /** How old the block was when it was read, in milliseconds; 0 if its time is ahead of this machine's clock. */
  readonly ageMs: number
}
