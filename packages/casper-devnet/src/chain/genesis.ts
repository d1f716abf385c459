import { accessRights, accountHashOfHex, createUref, stateKey } from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import { parsePublicKey } from '../transaction/nodeReader.ts'
import { newAccount } from './account.ts'

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
