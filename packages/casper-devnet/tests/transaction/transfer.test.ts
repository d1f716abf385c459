import { describe, expect, test } from 'bun:test'
import { keys } from '@wattfeed/casper/testing/sdkTransactions'
import type { ClType, NamedArgument } from '@wattfeed/casper/types'
import { CLValue, Key, URef } from 'casper-js-sdk'
import { checkTransfer, parseTransfer } from '../../src/transaction/transfer.ts'

const named = (name: string, clType: ClType, value: CLValue): NamedArgument => ({
  name,
  clType,
  bytes: value.bytes(),
})
const { publicKey } = keys.ed25519
const accountHash = publicKey.accountHash()
const purse = `uref-${'05'.repeat(32)}-007`
const amount = named('amount', 'U512', CLValue.newCLUInt512('3000000000'))
const toKey = named('target', 'PublicKey', CLValue.newCLPublicKey(publicKey))

describe('parseTransfer', () => {
  const account = { accountHash: accountHash.toBytes() }
  const uref = { purse: Uint8Array.fromHex(`${'05'.repeat(32)}07`) }
  test.each<[string, NamedArgument, object]>([
    ['a public key', toKey, account],
    [
      'an account hash',
      named('target', { ByteArray: 32 }, CLValue.newCLByteArray(accountHash.toBytes())),
      account,
    ],
    [
      'an account’s key',
      named('target', 'Key', CLValue.newCLKey(Key.newKey(accountHash.toPrefixedString()))),
      account,
    ],
    ['a purse', named('target', 'URef', CLValue.newCLUref(URef.fromString(purse))), uref],
    ['a purse’s key', named('target', 'Key', CLValue.newCLKey(Key.newKey(purse))), uref],
  ])('default: to %s', (_, target, to) => {
    expect(parseTransfer([target, amount])).toEqual({ to, motes: 3_000_000_000n, id: null } as never)
  })

  test('default: its id', () => {
    const id = named('id', { Option: 'U64' }, CLValue.newCLOption(CLValue.newCLUint64(7)))
    expect(parseTransfer([toKey, amount, id])?.id).toBe(7)
  })
})

describe('checkTransfer', () => {
  const text = named('target', 'String', CLValue.newCLString('alice'))
  const badKey = { name: 'target', clType: 'PublicKey', bytes: Uint8Array.of(9) } as const
  const source = named('source', 'URef', CLValue.newCLUref(URef.fromString(purse)))
  test.each<[string, NamedArgument[], string | null]>([
    ['nothing', [toKey, amount], null],
    ['a missing receiver', [amount], 'missingArgument'],
    ['a missing amount', [toKey], 'missingArgument'],
    ['a text as receiver', [text, amount], 'argumentType'],
    ['a public key that is none', [badKey, amount], 'argumentType'],
    ['another purse as source', [toKey, amount, source], 'kind'],
  ])('error: %s', (_, args, refusal) => {
    expect(checkTransfer(args, 2_500_000_000n)).toBe(refusal as never)
  })

  test('error: less than the minimum', () => {
    expect(checkTransfer([toKey, amount], 3_000_000_001n)).toBe('transferAmount')
  })
})
