import { describe, expect, test } from 'bun:test'
import { encodeHex } from '@wattfeed/base'
import { countArgumentBytes } from '@wattfeed/casper/types'
import fc from 'fast-check'
import {
  attestArguments,
  attestManyArguments,
  type NewAttestation,
} from '../../../src/library/registry/calls.ts'
import { string, u32, u64, u512 } from '../../support/bytesrepr.ts'

const attestation = fc.record({
  feed_id: fc.string({ unit: 'binary' }),
  period: fc.nat(),
  amount: fc.bigInt(0n, 2n ** 512n - 1n),
  source_hash: fc.string({ unit: 'binary' }),
})

const bytesOf = ({ feed_id, period, amount, source_hash }: NewAttestation): string =>
  string(feed_id) + u64(period) + u512(amount) + string(source_hash)

describe('attest and attest_many', () => {
  test('default: several are a list of their fields in order', () => {
    fc.assert(
      fc.property(fc.array(attestation), (attestations) => {
        const { attestations: list } = attestManyArguments(attestations)
        expect(list?.clType).toEqual({ List: 'Any' })
        expect(encodeHex(list?.bytes ?? new Uint8Array())).toBe(
          u32(attestations.length) + attestations.map(bytesOf).join(''),
        )
      }),
    )
  })

  test('default: one has its fields by name', () => {
    fc.assert(
      fc.property(attestation, (each) => {
        const hex = Object.entries(attestArguments(each)).map(([name, value]) => [
          name,
          value?.clType,
          encodeHex(value?.bytes ?? new Uint8Array()),
        ])
        expect(hex).toEqual([
          ['asset_id', 'String', string(each.feed_id)],
          ['period', 'U64', u64(each.period)],
          ['amount', 'U512', u512(each.amount)],
          ['source_hash', 'String', string(each.source_hash)],
        ])
      }),
    )
  })

  test('default: five of a usual size fit the first lane', () => {
    const usual = {
      feed_id: 'EIA.PET.PRICE.WTI.DAILY',
      period: 20261120,
      amount: 7135n,
      source_hash: 'ab'.repeat(16),
    }
    expect(countArgumentBytes(attestManyArguments(Array(5).fill(usual)))).toBe(401)
  })
})
