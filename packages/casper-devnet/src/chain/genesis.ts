import {
  accessRights,
  accountHashOfHex,
  createUref,
  stateKey,
  urefKey,
  type ValidatorWeight,
} from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import { encodeMotes } from '../engine/purse.ts'
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

/** Returns the URef of all motes that exist. A node finds it in the mint contract, which this chain does not have. */
export const totalSupplyUref = (seed: Uint8Array): Uint8Array =>
  createUref(blake2b(seed, utf8.encode('total supply')), accessRights.all)

/** @param stakes the validators' weights, which are motes */
export function totalSupplyWrite(
  accounts: readonly GenesisAccount[],
  stakes: readonly ValidatorWeight[],
  seed: Uint8Array,
): [string, Uint8Array] {
  const motes = [...accounts.map(({ balanceMotes }) => balanceMotes), ...stakes.map(({ weight }) => weight)]
  const total = motes.reduce((sum, each) => sum + each, 0n)
  return [stateKey(urefKey(totalSupplyUref(seed))), encodeMotes(total)]
}
