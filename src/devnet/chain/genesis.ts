import { accountHashOfHex } from '../../casper/types/accountHash.ts'
import { unitValue } from '../../casper/types/clValue.ts'
import { accessRights, accountKey, createUref, stateKey, urefKey } from '../../casper/types/key.ts'
import { encodeStoredValue } from '../../casper/types/storedValue.ts'
import { blake2b } from '../blake2b.ts'
import { parsePublicKey } from '../transaction/nodeReader.ts'
import { balanceKey, encodeMotes } from './purse.ts'

export interface GenesisAccount {
  publicKey: string
  balanceMotes: bigint
}

const utf8 = new TextEncoder()

export function genesisWrites(accounts: readonly GenesisAccount[], seed: Uint8Array): [string, Uint8Array][] {
  return accounts.flatMap((account) => accountWrites(account, seed))
}

function accountWrites(
  { publicKey, balanceMotes }: GenesisAccount,
  seed: Uint8Array,
): [string, Uint8Array][] {
  const accountHash = accountHashOfHex(parsePublicKey(publicKey))
  const purse = createUref(blake2b(seed, utf8.encode('purse'), accountHash), accessRights.all)
  return newAccount(accountHash, purse, balanceMotes).map(([key, stored]) => [stateKey(key), stored])
}

/** Returns the writes that create an account, in a node's order: the purse, its balance, the account. */
export function newAccount(
  accountHash: Uint8Array,
  mainPurse: Uint8Array,
  balanceMotes: bigint,
): [key: Uint8Array, stored: Uint8Array][] {
  const account = {
    accountHash,
    namedKeys: new Map(),
    mainPurse,
    associatedKeys: [{ accountHash, weight: 1 }],
    actionThresholds: { deployment: 1, keyManagement: 1 },
  }
  return [
    [urefKey(mainPurse), encodeStoredValue({ kind: 'CLValue', value: unitValue })],
    [balanceKey(mainPurse), encodeMotes(balanceMotes)],
    [accountKey(accountHash), encodeStoredValue({ kind: 'Account', account })],
  ]
}
