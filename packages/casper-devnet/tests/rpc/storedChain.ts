import { memberAt } from '@wattfeed/base'
import {
  accountKey,
  type ClValue,
  createUref,
  dictionaryKey,
  encodeDictionaryItem,
  encodeStoredValue,
  formatKey,
  hashKey,
  urefKey,
} from '@wattfeed/casper/types'
import { blake2b } from '../../src/blake2b.ts'
import type { Chain } from '../../src/chain/createChain.ts'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import { createFakeEngine } from '../support/fakeEngine.ts'
import { createTestChain, sessionOf } from '../support/testChain.ts'

const hash = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const utf8 = new TextEncoder()

const seed = createUref(hash(5), 7)
const owner = hash(1)
const contract = hash(2)
const contractPackage = hash(3)

/** The name of an item that exists in the chain's state under more than one seed. */
export const ITEM = '°F'

const itemKey = (address: Uint8Array): Uint8Array => dictionaryKey(blake2b(address, utf8.encode(ITEM)))

/** The key of the item in the dictionary that both the account and the contract call `items`. */
export const items = itemKey(seed.subarray(0, 32))

/** An account with two named keys: a dictionary, and a contract with a package. */
export const accountText = formatKey(accountKey(owner))
export const contractText = formatKey(hashKey(contract))

/** An arbitrary hash. */
export const nowhere = '0'.repeat(64)

const item = (address: Uint8Array, value: ClValue): Uint8Array =>
  encodeStoredValue({
    kind: 'CLValue',
    value: encodeDictionaryItem({ value, seed: address, itemKey: utf8.encode(ITEM) }),
  })
const hi: ClValue = { clType: 'String', bytes: Uint8Array.of(2, 0, 0, 0, 104, 105) }

const writes: [Uint8Array, Uint8Array][] = [
  [
    accountKey(owner),
    encodeStoredValue({
      kind: 'Account',
      account: {
        accountHash: owner,
        namedKeys: new Map([
          ['items', urefKey(seed)],
          ['counter', hashKey(contract)],
        ]),
        mainPurse: createUref(hash(9), 7),
        associatedKeys: [{ accountHash: owner, weight: 1 }],
        actionThresholds: { deployment: 1, keyManagement: 1 },
      },
    }),
  ],
  [
    hashKey(contract),
    encodeStoredValue({
      kind: 'Contract',
      contract: {
        packageHash: contractPackage,
        wasmHash: hash(4),
        namedKeys: new Map([
          ['items', urefKey(seed)],
          ['value', urefKey(createUref(hash(6), 7))],
          ['package', hashKey(contractPackage)],
        ]),
        entryPoints: new Map(),
        protocolVersion: [2, 0, 0],
      },
    }),
  ],
  [
    hashKey(contractPackage),
    encodeStoredValue({
      kind: 'ContractPackage',
      contractPackage: {
        accessKey: createUref(hash(7), 7),
        versions: [{ protocolVersionMajor: 2, contractVersion: 1, contractHash: contract }],
        disabledVersions: [],
        groups: new Map(),
        isLocked: false,
      },
    }),
  ],
  [
    urefKey(createUref(hash(6), 0)),
    encodeStoredValue({ kind: 'CLValue', value: { clType: 'U8', bytes: Uint8Array.of(42) } }),
  ],
  [items, item(seed.subarray(0, 32), hi)],
  // A reader that took the hash of a package for a seed would find this.
  [itemKey(contractPackage), item(contractPackage, hi)],
]

/** A chain whose second block has written all that. */
function createStoredChain(): Chain {
  const chain = createTestChain({ engine: createFakeEngine(() => ({ writes })) })
  chain.put(sessionOf(1))
  return chain
}

/** Returns such a chain, with a function that calls its node. */
export function askStoredChain() {
  const chain = createStoredChain()
  const answer = createAnswerRpc(chain)
  return {
    chain,
    root: (): string => chain.tip().stateRootHash,
    result: async (method: string, params?: unknown): Promise<unknown> =>
      memberAt(await answer(method, params), 'result'),
    error: async (method: string, params?: unknown): Promise<unknown> =>
      memberAt(await answer(method, params), 'error'),
  }
}
