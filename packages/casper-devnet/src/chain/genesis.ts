import {
  accessRights,
  accountHashOfHex,
  createUref,
  stateKey,
  urefKey,
  type ValidatorWeight,
} from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import type { Chainspec } from '../chainspec.ts'
import { encodeMotes } from '../engine/purse.ts'
import { parsePublicKey } from '../transaction/nodeReader.ts'
import { newAccount } from './account.ts'
import { systemContractWrites } from './systemContracts.ts'

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

/** Returns the URef of all motes that exist. The mint has it as a named key. */
export const totalSupplyUref = (seed: Uint8Array): Uint8Array =>
  createUref(blake2b(seed, utf8.encode('total supply')), accessRights.all)

/** A network at its first block. */
export interface GenesisNetwork {
  readonly accounts: readonly GenesisAccount[]
  /** The validators' weights, which are motes. */
  readonly stakes: readonly ValidatorWeight[]
  readonly seed: Uint8Array
  readonly chainspec: Chainspec
}

/** Returns the writes that create what belongs to no account: the system contracts, and the motes that exist. */
export function networkWrites(network: GenesisNetwork): (readonly [string, Uint8Array])[] {
  const totalSupply = totalSupplyUref(network.seed)
  return [
    ...systemContractWrites({ ...network, totalSupply }),
    [stateKey(urefKey(totalSupply)), encodeMotes(allMotes(network))],
  ]
}

function allMotes({ accounts, stakes }: GenesisNetwork): bigint {
  const motes = [...accounts.map(({ balanceMotes }) => balanceMotes), ...stakes.map(({ weight }) => weight)]
  return motes.reduce((sum, each) => sum + each, 0n)
}
