import { absentAsNull } from '@wattfeed/casper'
import {
  type AccountKeys,
  countSigners,
  decodeAccountKeys,
  isAccountHash,
  isEntityReference,
} from '@wattfeed/casper/types'
import type { RootReader } from '../registry/rootReader.ts'

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

/** Reads an attester at the reader's state root. */
export async function readAttester(
  { state, stateRootHash, signal }: RootReader,
  account: string,
): Promise<Attester> {
  if (!isAccountHash(account)) return { account, authority: null }
  const found = await readAccountKeys({ state, stateRootHash, signal, account, absent: absentAsNull })
  return { account, authority: found && authorityOf(found) }
}

interface AccountRead<Absent> extends Pick<RootReader, 'state' | 'stateRootHash' | 'signal'> {
  /** `account-hash-…` */
  account: string
  /** Handles the error that reports the account as absent. */
  absent: (error: unknown, what: string) => Absent
}

/** Reads the keys and thresholds of an account. Follows the reference that it leaves if it becomes an addressable entity. */
export async function readAccountKeys<Absent extends null>(
  read: AccountRead<Absent>,
): Promise<AccountKeys | Absent> {
  const { state, account, ...at } = read
  const found = await state.query({
    ...at,
    key: account,
    decode: (stored) => (isEntityReference(stored) ? 'entity' : decodeAccountKeys(stored)),
  })
  if (found !== 'entity') return found
  // An account's entity has the address of the account.
  const key = account.replace('account-hash', 'entity-account')
  return state.query({ ...at, key, decode: decodeAccountKeys })
}

/** Adds the least number of keys that can sign. */
export function authorityOf(account: AccountKeys): AttesterAuthority {
  const weights = new Map(account.keys.map(({ accountHash, weight }) => [accountHash, weight]))
  const minSigners = countSigners({ weights, threshold: account.thresholds.deployment }) ?? 0
  return { ...account, minSigners }
}
