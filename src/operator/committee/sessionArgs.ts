import { concatBytes } from '@noble/hashes/utils.js'
import { type Account, type Arguments, clByteArray, clList, clU8 } from '@wattfeed/casper/types'

type AssociatedKeys = Account['associatedKeys']

/** A change of an account's keys and thresholds, which the session code of `contracts/committee` makes. */
export interface KeyChange {
  /** All keys that the account has now. The session fails if the account differs. */
  readonly current: AssociatedKeys
  /** All keys after the change. */
  readonly next: AssociatedKeys
  /** Account hashes of the keys of `next` that can act alone: they do not count in the rule that quorums intersect. */
  readonly recovery: readonly Uint8Array[]
  /** The thresholds after the change. */
  readonly thresholds: Account['actionThresholds']
}

/** Creates the arguments of the session code that changes an account's keys. */
export function sessionArgs({ current, next, recovery, thresholds }: KeyChange): Arguments {
  return {
    current: clKeys(current),
    next: clKeys(next),
    recovery: clList({ ByteArray: 32 }, recovery.toSorted(Buffer.compare)),
    deployment: clU8(thresholds.deployment),
    key_management: clU8(thresholds.keyManagement),
  }
}

/** Encodes keys in ascending order of their hashes, which the session code requires. */
function clKeys(keys: AssociatedKeys) {
  const sorted = keys.toSorted((a, b) => Buffer.compare(a.accountHash, b.accountHash))
  const pairs = sorted.map(({ accountHash, weight }) =>
    concatBytes(clByteArray(accountHash).bytes, clU8(weight).bytes),
  )
  return clList({ Tuple2: [{ ByteArray: 32 }, 'U8'] }, pairs)
}
