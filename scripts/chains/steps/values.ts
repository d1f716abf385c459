import { CLValue } from 'casper-js-sdk'
import {
  accountOf,
  addressOf,
  both,
  contract,
  forgedUref,
  key,
  type Names,
  type Step,
  session,
  uref,
} from './step.ts'

const additions = ['i32', 'i64', 'u8', 'u32', 'u64', 'u128', 'u256', 'u512']

const overflows = ['i32', 'i64', 'u64', 'u128', 'u256', 'u512'].map((each) => `${each} over the maximum`)

const mismatches = [
  'u64 to i32',
  'i32 to u64',
  'u32 to u64',
  'i32 to i64',
  'u64 to u512',
  'a string',
  'a unit',
]

const values: readonly Step[] = [
  ...both('new_uref'),
  ...both('write and read'),
  ...both('read a key', () => ({ key: key(forgedUref) })),
  ...both('read a key', () => ({ key: key(`account-hash-${accountOf('ed25519')}`) })),
  ...both('read a key', (names) => ({ key: key(names('first')) })),
  ...both('read a key', () => ({ key: key(`hash-${addressOf('no contract')}`) })),
  ...both('write to a key', () => ({ key: key(forgedUref) })),
  ...both('write to a key', () => ({ key: key(`account-hash-${accountOf('ed25519')}`) })),
  ...both('write to a key', (names) => ({ key: key(names('first')) })),
  ...both('write without access'),
  ...both('read without access'),
  ...[...additions, ...overflows, ...mismatches].flatMap((each) => session(`add ${each}`)),
  contract('add u64'),
  contract('add u64 to i32'),
  ...both('add twice'),
  ...both('add without access'),
  ...both('add to a key', () => ({ key: key(forgedUref) })),
  ...both('add to a key', () => ({ key: key(`account-hash-${accountOf('ed25519')}`) })),
  ...both('add to a key', (names) => ({ key: key(names('first')) })),
  ...['ed25519', 'secp256k1'].flatMap((each) =>
    both('add a named key to a key', (names) => ({
      key: key(`account-hash-${accountOf(each === 'ed25519' ? 'ed25519' : 'secp256k1')}`),
      value: key(names('first')),
    })),
  ),
  ...both('add a named key to a key', (names) => ({ key: key(names('first')), value: key(names('second')) })),
  ...both('dictionary'),
  ...both('dictionary item of another', () => ({ uref: uref(forgedUref) })),
  ...both('dictionary with a name that exists'),
  session('dictionary item with a long key'),
  session('dictionary item with a key that is not UTF-8'),
  session('dictionary item without access'),
  ...both('read_host_buffer when it is empty'),
  ...both('read_host_buffer into too few bytes'),
]

/** A key in bytes, of any kind. */
const keyOf = (kind: number, address: string): CLValue =>
  CLValue.newCLByteArray(Uint8Array.of(kind, ...Uint8Array.fromHex(address)))

const none = '00'.repeat(32)

const purseAddress = (names: Names) => names('main purse').slice('uref-'.length, -'-007'.length)

/**
 * Kinds of keys with an address of 32 bytes, as in casper-types. The summary of an era and the registry of the chainspec are missing:
 * the engine alone ends no era, and the embedded chain has no such registry.
 */
const kinds = [0, 1, 3, 4, 6, 7, 8, 9, 10, 12, 14, 16]

const keyKinds: readonly Step[] = [
  'read a key',
  'write to a key',
  'add to a key',
  'dictionary_read of a key',
].flatMap((step) => [
  ...kinds.map((kind) => session(step, () => ({ key: keyOf(kind, none) }))),
  session(step, (names) => ({ key: keyOf(6, purseAddress(names)) })),
  contract(step, (names) => ({ key: keyOf(6, purseAddress(names)) })),
  session(step, () => ({ key: keyOf(77, none) })),
])

export const valueSteps: readonly Step[] = [...values, ...keyKinds]
