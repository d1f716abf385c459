import { describe, expect, test } from 'bun:test'
import { type Arguments, clString, clU8, type NamedArgument, presentArguments } from '@wattfeed/casper/types'
import { array, assert, bigInt, nat, property, record, string } from 'fast-check'
import { attestArguments, attestManyArguments } from '../../../src/library/registry/calls.ts'
import { decodeAttestCall } from '../../../src/library/registry/decodeAttestCall.ts'

const value = {
  feed_id: 'EIA.PET.PRICE.WTI.DAILY',
  period: 20_261_120,
  amount: 59_910_000n,
  source_hash: 'ab'.repeat(16),
}

const argsOf = (args: Arguments): NamedArgument[] =>
  presentArguments(args).map(([name, value]) => ({ name, ...value }))

describe('decodeAttestCall', () => {
  test('default: what attest and attest_many encode', () => {
    const values = array(
      record({
        feed_id: string({ unit: 'binary' }),
        period: nat(),
        amount: bigInt({ min: 0n, max: 2n ** 512n - 1n }),
        source_hash: string({ unit: 'binary' }),
      }),
    )
    assert(
      property(values, (each) => {
        expect(decodeAttestCall('attest_many', argsOf(attestManyArguments(each)))).toEqual(each)
        for (const one of each)
          expect(decodeAttestCall('attest', argsOf(attestArguments(one)))).toEqual([one])
      }),
    )
  })

  test('behavior: null for other entry points', () => {
    expect(decodeAttestCall('register_feed', argsOf(attestArguments(value)))).toBeNull()
  })

  test.each<[name: string, args: NamedArgument[], message: string]>([
    ['a missing argument', argsOf(attestArguments(value)).slice(1), 'expected exactly'],
    [
      'another argument',
      argsOf({ ...attestArguments(value), note: clString('') }),
      'unknown argument "note"',
    ],
    ['another type', argsOf({ ...attestArguments(value), period: clU8(1) }), 'expected type "U64"'],
    [
      'an argument twice',
      [...argsOf(attestArguments(value)).slice(1), ...argsOf({ amount: clString('') })],
      'missing argument "asset_id"',
    ],
    [
      'bytes after the value',
      argsOf({ ...attestArguments(value), asset_id: { clType: 'String', bytes: new Uint8Array(9) } }),
      'cannot decode asset_id',
    ],
  ])('error: %s', (_, args, message) => {
    expect(() => decodeAttestCall('attest', args)).toThrow(message)
  })
})
