import { DecodeError } from '@wattfeed/base'
import { parseAccountHash } from './accountHash.ts'
import { type Decode, integer, listOf, members, record, text } from './jsonField.ts'

/** The keys of an account, and the weights that its transactions need. */
export interface AccountKeys {
  /** Keys that may sign, in the order of the account. */
  readonly keys: readonly { readonly accountHash: string; readonly weight: number }[]
  /** The least total weight of the signatures of a transaction, and of a transaction that changes the keys. */
  readonly thresholds: { readonly deployment: number; readonly keyManagement: number }
}

/** Decodes the keys and thresholds of a stored account, also of one that is an addressable entity. */
export function decodeAccountKeys(storedValue: unknown): AccountKeys {
  const stored = record(storedValue, 'stored_value')
  const account = members(stored.Account ?? stored.AddressableEntity, 'Account')
  return {
    keys: account('associated_keys', listOf(associatedKey)),
    thresholds: account('action_thresholds', thresholds),
  }
}

const associatedKey: Decode<AccountKeys['keys'][number]> = (json, what) => {
  const key = members(json, what)
  return { accountHash: key('account_hash', accountHash), weight: key('weight', integer) }
}

const thresholds: Decode<AccountKeys['thresholds']> = (json, what) => {
  const of = members(json, what)
  return { deployment: of('deployment', integer), keyManagement: of('key_management', integer) }
}

const accountHash: Decode<string> = (value, what) => {
  if (parseAccountHash(text(value, what)) !== null) return text(value, what)
  throw new DecodeError(what, 'expected an account hash')
}
