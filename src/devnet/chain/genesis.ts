import { unitValue } from '../../casper/types/clValue.ts'
import { accountKey, createUref, stateKey, urefKey } from '../../casper/types/key.ts'
import { encodeStoredValue } from '../../casper/types/storedValue.ts'
import { blake2b } from '../blake2b.ts'
import { accountHashOf, parsePublicKey } from '../transaction/initiator.ts'
import { balanceKey, encodeMotes } from './purse.ts'

/** An account and its balance at genesis. */
export interface GenesisAccount {
  /** Hex, with the algorithm byte. */
  publicKey: string
  balanceMotes: bigint
}

const ALL_RIGHTS = 7
const utf8 = new TextEncoder()

/** Returns the state at genesis: accounts with a main purse each. */
export function genesisWrites(accounts: readonly GenesisAccount[], seed: Uint8Array): [string, Uint8Array][] {
  return accounts.flatMap((account) => accountWrites(account, seed))
}

function accountWrites(
  { publicKey, balanceMotes }: GenesisAccount,
  seed: Uint8Array,
): [string, Uint8Array][] {
  const accountHash = accountHashOf(parsePublicKey(publicKey))
  const purse = createUref(blake2b(seed, utf8.encode('purse'), accountHash), ALL_RIGHTS)
  const account = encodeStoredValue({
    kind: 'Account',
    account: {
      accountHash,
      namedKeys: new Map(),
      mainPurse: purse,
      associatedKeys: [{ accountHash, weight: 1 }],
      actionThresholds: { deployment: 1, keyManagement: 1 },
    },
  })
  return [
    [stateKey(accountKey(accountHash)), account],
    [stateKey(urefKey(purse)), encodeStoredValue({ kind: 'CLValue', value: unitValue })],
    [stateKey(balanceKey(purse)), encodeMotes(balanceMotes)],
  ]
}
