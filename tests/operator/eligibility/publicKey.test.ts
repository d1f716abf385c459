import { describe, expect, test } from 'bun:test'
import { bn254 } from '@noble/curves/bn254.js'
import { type Point, publicKeyFault } from '../../../src/operator/eligibility/publicKey.ts'

/** Generators of EIP-2494: of the subgroup of prime order, and of the whole curve, whose order is eight times as large. */
const base: Point = [
  5299619240641551281634865583518297030282874472190772894086521144482721001553n,
  16950150798460657717958625567821834550301663161624707787222815936182638968203n,
]
const generator: Point = [
  995203441582195749578291179787384436505546430278305826713579947235728471134n,
  5472060717959818805561601436314318772137091100104008585924551046643952123905n,
]
const OFF_ORDER = 'the point is not in the prime-order subgroup'
const { ORDER } = bn254.fields.Fr

describe('publicKeyFault', () => {
  test('default: a point of prime order has no fault', async () => {
    expect(await publicKeyFault(base)).toBeNull()
    expect(await publicKeyFault([ORDER - base[0], base[1]])).toBeNull()
  })

  test('error: the neutral element, and points of small or composite order', async () => {
    const { Fr } = bn254.fields
    const small: Point[] = [
      [0n, 1n],
      [0n, ORDER - 1n],
      [Fr.sqrt(Fr.inv(168700n)), 0n],
    ]
    for (const point of [...small, generator]) expect(await publicKeyFault(point)).toBe(OFF_ORDER)
  })

  test('error: a point off the curve', async () => {
    const [x, y] = base
    for (const point of [
      [x, y + 1n],
      [y, x],
      [1n, 1n],
      [0n, 0n],
    ] as const)
      expect(await publicKeyFault(point)).toBe('the point is not on the Baby Jubjub curve')
  })

  test('error: a coordinate written another way', async () => {
    const [x, y] = base
    for (const point of [
      [x + ORDER, y],
      [x, y + ORDER],
      [x - ORDER, y],
    ] as const)
      expect(await publicKeyFault(point)).toBe('a coordinate is not below the field’s order')
  })
})
