import { DecodeError, WattfeedError } from '@wattfeed/base'
import fc from 'fast-check'
import { anyCharacter } from './anyCharacter.ts'

/** Fails the property unless `decode` returns a value or throws one of the errors for bad input. */
export function assertTyped(decode: () => unknown): void {
  try {
    decode()
  } catch (error) {
    const isUnreadable = error instanceof WattfeedError && error.code === 'transport'
    if (!(error instanceof DecodeError || isUnreadable)) throw error
  }
}

/** Converts hex to bytes. */
export const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))

/** Text that a chain can store: any code points, no lone surrogates. */
export const anyText = fc.string({ unit: anyCharacter, maxLength: 20 })

export const anyBytes = fc.uint8Array({ maxLength: 200 })

export const anyU64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })

export const anyU512 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 512n - 1n }),
  fc.nat({ max: 512 }).map((bits) => 2n ** BigInt(bits) - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 64n }),
)

/** Any JSON, and objects with some of these members, valid or not. */
export function jsonLike(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const record = fc.record(
    Object.fromEntries(
      Object.entries(members).map(([name, valid]) => [name, fc.oneof(valid, fc.jsonValue({ maxDepth: 2 }))]),
    ),
    { requiredKeys: [] },
  )
  return fc.oneof({ weight: 3, arbitrary: record }, { weight: 1, arbitrary: fc.jsonValue() })
}
