import { describe, expect, test } from 'bun:test'
import { encodeHex } from '@wattfeed/base'
import {
  ArgumentError,
  type Arguments,
  clString,
  clU8,
  countArgumentBytes,
  type NamedArgument,
  presentArguments,
} from '@wattfeed/casper/types'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import { string, u8, u32, u64, u512 } from '@wattfeed/testing/bytesrepr'
import fc from 'fast-check'
import {
  attestArguments,
  attestManyArguments,
  type NewAttestation,
  registerArguments,
} from '../../src/registry/calls.ts'
import { decodeAttestCall } from '../../src/registry/decodeAttestCall.ts'

const text = fc.string({ unit: anyCharacter })
const attestation = fc.record({
  feed_id: text,
  period: fc.nat(),
  amount: fc.bigInt(0n, 2n ** 512n - 1n),
  source_hash: text,
})
const value = {
  feed_id: 'EIA.PET.PRICE.WTI.DAILY',
  period: 20_261_120,
  amount: 59_910_000n,
  source_hash: 'ab'.repeat(16),
}

const bytesOf = ({ feed_id, period, amount, source_hash }: NewAttestation): string =>
  string(feed_id) + u64(period) + u512(amount) + string(source_hash)

/** Each argument's name, type and bytes in hex, in their order. */
const hexOf = (args: Arguments) =>
  Object.entries(args).map(([name, value]) => [
    name,
    value?.clType,
    encodeHex(value?.bytes ?? new Uint8Array()),
  ])

const argsOf = (args: Arguments): NamedArgument[] =>
  presentArguments(args).map(([name, value]) => ({ name, ...value }))

describe('attest and attest_many', () => {
  test('default: several are a list of their fields in order, which decodes', () => {
    fc.assert(
      fc.property(fc.array(attestation), (attestations) => {
        const args = attestManyArguments(attestations)
        expect(args.attestations?.clType).toEqual({ List: 'Any' })
        expect(encodeHex(args.attestations?.bytes ?? new Uint8Array())).toBe(
          u32(attestations.length) + attestations.map(bytesOf).join(''),
        )
        expect(decodeAttestCall('attest_many', argsOf(args))).toEqual(attestations)
      }),
    )
  })

  test('default: one has its fields by name, which decode', () => {
    fc.assert(
      fc.property(attestation, (each) => {
        expect(hexOf(attestArguments(each))).toEqual([
          ['asset_id', 'String', string(each.feed_id)],
          ['period', 'U64', u64(each.period)],
          ['amount', 'U512', u512(each.amount)],
          ['source_hash', 'String', string(each.source_hash)],
        ])
        expect(decodeAttestCall('attest', argsOf(attestArguments(each)))).toEqual([each])
      }),
    )
  })

  test('default: five of a usual size fit the first lane', () => {
    expect(countArgumentBytes(attestManyArguments(Array(5).fill({ ...value, amount: 7135n })))).toBe(401)
  })

  test('behavior: other entry points decode as null', () => {
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
  ])('error: %s does not decode', (_, args, message) => {
    expect(() => decodeAttestCall('attest', args)).toThrow(message)
  })
})

describe('register_feed', () => {
  const names = ['unit', 'title', 'source', 'route', 'frequency', 'description'] as const
  const empty = { decimals: 0, unit: '', title: '', source: '', route: '', frequency: '', description: '' }
  const feed = fc.record({
    decimals: fc.integer({ min: 0, max: 255 }),
    unit: text,
    title: text,
    source: text,
    route: text,
    frequency: text,
    description: text,
  })

  test('default: the arguments that the contract names, in its order', () => {
    fc.assert(
      fc.property(text, feed, (feedId, each) => {
        expect(hexOf(registerArguments(feedId, each))).toEqual([
          ['feed_id', 'String', string(feedId)],
          ['decimals', 'U8', u8(each.decimals)],
          ...names.map((name) => [name, 'String', string(each[name])]),
        ])
      }),
    )
  })

  test('behavior: the names are those of the contract', async () => {
    const rust = new URL('../../../../contracts/src/feed_registry.rs', import.meta.url)
    const source = await Bun.file(rust).text()
    const parameters = /pub fn register_feed\(\s*&mut self,([^)]*)\)/.exec(source)?.[1] ?? ''
    const inContract = [...parameters.matchAll(/(\w+): \w+/g)].map(([, name]) => name)
    expect(Object.keys(registerArguments('', empty))).toEqual(inContract as string[])
  })

  test.each([-1, 256, 1.5])('error: %p decimals do not fit', (decimals) => {
    expect(() => registerArguments('X', { ...empty, decimals })).toThrow(ArgumentError)
  })
})
