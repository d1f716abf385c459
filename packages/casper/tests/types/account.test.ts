import { expect, test } from 'bun:test'
import { createByteWriter } from '@wattfeed/base'
import {
  type Account,
  formatAccount,
  parseAccount,
  readAccountEnd,
  sumWeights,
} from '../../src/types/account.ts'
import { parseKey } from '../../src/types/keyKinds.ts'

const hashOf = (digits: string): Uint8Array => Buffer.from(digits.repeat(32), 'hex')

const account: Account = {
  accountHash: hashOf('11'),
  namedKeys: new Map([['registry', parseKey(`hash-${'22'.repeat(32)}`)]]),
  mainPurse: Uint8Array.of(...hashOf('33'), 7),
  associatedKeys: [
    { accountHash: hashOf('11'), weight: 100 },
    { accountHash: hashOf('44'), weight: 255 },
  ],
  actionThresholds: { deployment: 1, keyManagement: 2 },
}

const plain = (value: Account) => JSON.parse(JSON.stringify(formatAccount(value)))

test("default: parses the node's JSON", () => {
  expect(parseAccount(plain(account), 'account')).toEqual({
    ...account,
    namedKeys: new Map([['registry', `hash-${'22'.repeat(32)}`]]),
  })
})

test('behavior: a named key may be of a kind of a later protocol', () => {
  const later = { ...plain(account), named_keys: [{ name: 'token', key: 'evm-storage-1234' }] }
  const namedKeys = new Map([['token', 'evm-storage-1234']])
  expect(parseAccount(later, 'account')).toEqual({ ...account, namedKeys })
})

test.each([
  ['no object', null],
  ['no keys', { ...plain(account), associated_keys: undefined }],
  ['a hash that is none', { ...plain(account), account_hash: `account-hash-${'1'.repeat(63)}` }],
  ['a main purse that is no URef', { ...plain(account), main_purse: `hash-${'33'.repeat(32)}` }],
  [
    'a weight above 255',
    { ...plain(account), associated_keys: [{ account_hash: plain(account).account_hash, weight: 256 }] },
  ],
  [
    'a deployment threshold above that of key management',
    { ...plain(account), action_thresholds: { deployment: 3, key_management: 2 } },
  ],
])('error: %s', (_, json) => {
  expect(() => parseAccount(json, 'account')).toThrow()
})

test('default: weights are summed exactly, although a node counts up to 255', () => {
  expect(sumWeights(account)).toBe(355)
  expect(sumWeights(account, [hashOf('44'), hashOf('55')])).toBe(255)
  expect(sumWeights(account, [hashOf('11'), hashOf('11')])).toBe(100)
  expect(sumWeights(account, [])).toBe(0)
})

test.each([
  [100, 100],
  [101, undefined],
])('behavior: of an account with an unknown named key, %d associated keys are read as %p', (keys, read) => {
  const writer = createByteWriter().bytes(new Uint8Array(32)).u32(1).string('a').u8(99)
  writer.bytes(new Uint8Array(32).fill(1)).u8(7).u32(keys)
  for (let key = 1; key <= keys; key++) writer.bytes(new Uint8Array(32).fill(key)).u8(1)
  const account = writer.u8(1).u8(1).finish()
  expect(readAccountEnd(account)?.associatedKeys.length).toBe(read)
})
