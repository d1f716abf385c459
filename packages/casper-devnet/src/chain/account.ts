import { type Account, accountKey, encodeStoredValue, unitValue, urefKey } from '@wattfeed/casper/types'
import { emptyAccount } from '../engine/emptyAccount.ts'
import { balanceKey, encodeMotes } from '../engine/purse.ts'
import type { StateReader } from '../engine/trackingCopy.ts'
import { readValue } from './overlay.ts'

/** Like {@link findAccount}, for an account that must exist. */
export function existingAccount(state: StateReader, accountHash: Uint8Array): Account {
  const account = findAccount(state, accountHash)
  if (account === null) throw new Error(`account ${accountHash.toHex()} does not exist`)
  return account
}

export function findAccount(state: StateReader, accountHash: Uint8Array): Account | null {
  const value = readValue(state, accountKey(accountHash))
  return value?.kind === 'Account' ? value.account : null
}

/** Returns the writes that create an account, in a node's order: the purse, its balance, the account. */
export function newAccount(
  accountHash: Uint8Array,
  mainPurse: Uint8Array,
  balanceMotes: bigint,
): [key: Uint8Array, stored: Uint8Array][] {
  const account = emptyAccount(accountHash, mainPurse)
  return [
    [urefKey(mainPurse), encodeStoredValue({ kind: 'CLValue', value: unitValue })],
    [balanceKey(mainPurse), encodeMotes(balanceMotes)],
    [accountKey(accountHash), encodeStoredValue({ kind: 'Account', account })],
  ]
}
