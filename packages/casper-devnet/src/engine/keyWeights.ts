import { encodeHex } from '@wattfeed/base'
import { type Account, sumWeights } from '@wattfeed/casper/types'

/** Maximum number of keys that can sign for an account. Not part of the recorded chainspec. */
export const MAX_ASSOCIATED_KEYS = 100

/** Returns what the keys of an account weigh together, or those of some signers. A node adds in one byte and stops at 255. */
export const weightOf = (account: Account, signers?: readonly Uint8Array[]): number =>
  Math.min(sumWeights(account, signers), 255)

/**
 * Returns the reason for which signers may not send a transaction of an account, or null. Foreign keys weigh nothing; they are
 * the reason only if no other key has signed (`can_authorize` of casper-types 6.1.0 and 7.0.0, `addressable_entity.rs` and
 * `runtime_footprint.rs`).
 */
export function checkSigners(
  account: Account,
  signers: readonly Uint8Array[],
): 'associatedKeys' | 'signatureWeight' | null {
  const associated = new Set(account.associatedKeys.map(({ accountHash }) => encodeHex(accountHash)))
  if (!signers.some((signer) => associated.has(encodeHex(signer)))) return 'associatedKeys'
  return weightOf(account, signers) < account.actionThresholds.deployment ? 'signatureWeight' : null
}

/** The node's errors if the signers are refused during execution (`tracking_copy/error.rs` of casper-storage 2.1.1). */
export const authorizationErrors = {
  associatedKeys: 'Authorization error',
  signatureWeight: 'Deployment authorization failure',
} as const
