import { absentAsNull } from '../casper/state/absent.ts'
import { isRecord } from '../casper/types/isRecord.ts'
import { type AccountKeys, decodeAccountKeys } from '../casper/types/storedValueJson.ts'
import { WattfeedError } from '../errors.ts'
import type { RootReader } from './rootReader.ts'

/**
 * The account or contract that may attest to a feed.
 *
 * @example
 * ```ts
 * import type { Attester } from 'wattfeed'
 *
 * const describe = ({ authority }: Attester) =>
 *   authority === null ? 'a contract' : `${authority.minSigners} of ${authority.keys.length} keys`
 * ```
 */
export interface Attester {
  /** `account-hash-…` or `hash-…` */
  readonly account: string
  /** Its keys and thresholds; null for a contract, and for an account that the chain does not have yet. */
  readonly authority: AttesterAuthority | null
}

/** The keys that may sign for an account. */
export interface AttesterAuthority extends AccountKeys {
  /** The least number of keys whose signatures suffice for a transaction; 0 if no set of keys suffices. */
  readonly minSigners: number
}

/**
 * The chain stores an account in a form that this client cannot read, such as an addressable entity.
 *
 * @example
 * ```ts
 * import { UnsupportedAccountError } from 'wattfeed'
 *
 * try {
 *   await client.getAttester('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof UnsupportedAccountError)) throw error
 *   console.error(error.account)
 * }
 * ```
 */
export class UnsupportedAccountError extends WattfeedError {
  static override readonly name = 'UnsupportedAccountError'
  readonly code = 'unsupported_account'
  readonly retryable = false

  constructor(
    /** `account-hash-…` */
    readonly account: string,
  ) {
    super(`the chain stores ${account} as an addressable entity; its keys cannot be read`)
  }
}

/** Reads an attester at the reader's state root. */
export async function readAttester(
  { state, stateRootHash, signal }: RootReader,
  account: string,
): Promise<Attester> {
  if (!account.startsWith('account-hash-')) return { account, authority: null }
  const found = await state.query({
    stateRootHash,
    key: account,
    signal,
    absent: absentAsNull,
    decode: (stored) => (isEntityReference(stored) ? 'unsupported' : decodeAccountKeys(stored)),
  })
  // Not thrown by `decode`, because the node is not at fault.
  if (found === 'unsupported') throw new UnsupportedAccountError(account)
  return { account, authority: found && { ...found, minSigners: leastSigners(found) } }
}

/** Whether a value is the key of an addressable entity, which replaces an account on chains with such entities. */
const isEntityReference = (stored: unknown): boolean => isRecord(stored) && 'CLValue' in stored

/** Counts keys in descending order of weight until they reach the threshold. */
function leastSigners({ keys, thresholds }: AccountKeys): number {
  let sum = 0
  const weights = keys.map(({ weight }) => weight).toSorted((a, b) => b - a)
  const last = weights.findIndex((weight) => {
    sum += weight
    return sum >= thresholds.deployment
  })
  return last + 1
}
