import { describe, expect, test } from 'bun:test'
import { createCursor, DecodeError } from '@wattfeed/base'
import { decodeField } from '@wattfeed/casper'
import { U512_BYTES } from '@wattfeed/casper/testing/internals'
import { list, string, u8, u64, u512 } from '@wattfeed/testing/bytesrepr'
import { anyBytes, anyText, anyU64, anyU512, assertTyped, fromHex } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { type Attestation, readAttestation } from '../../src/registry/attestation.ts'
import { recordedItem } from '../support/recordedItems.ts'

const read = (hex: string): Attestation => decodeField(fromHex(list(hex)), 'Attestation', readAttestation)
const account = '5bf7304d39cdc9c99b8a391234f6ad85c5fdcf41646a55493c3d35b68d6bb193'

describe('readAttestation', () => {
  test('default: a recorded value, in its order on chain', () => {
    const latest = recordedItem('AttestationRegistry.latest[EIA.NG.PRICE.HENRYHUB.DAILY]')
    expect(Object.entries(decodeField(latest, 'Attestation', readAttestation))).toEqual([
      ['period', 20261120],
      ['amount', 3049380n],
      ['source_hash', '88450b082ec4df2fdccd3a626c6e489b'],
      ['attester', `account-hash-${account}`],
      ['timestamp', 1795168726426],
    ])
  })

  test('behavior: the largest amount', () => {
    const largest = 2n ** BigInt(8 * U512_BYTES) - 1n
    const fields = u64(1) + u512(largest) + string('') + u8(1) + account + u64(2)
    expect(read(fields)).toEqual({
      period: 1,
      amount: largest,
      source_hash: '',
      attester: `hash-${account}`,
      timestamp: 2,
    })
  })

  test('error: an amount that is no U512', () => {
    expect(() => read(`${u64(1)}41${'ff'.repeat(65)}`)).toThrow(
      new DecodeError('Attestation', 'an integer of 65 bytes exceeds the limit of 64'),
    )
  })

  test('behavior: written values are read back', () => {
    fc.assert(
      fc.property(anyU64, anyU512, anyText, anyU64, (period, amount, source_hash, timestamp) => {
        const fields = u64(period) + u512(amount) + string(source_hash) + u8(0) + account + u64(timestamp)
        expect(read(fields)).toEqual({
          period: Number(period),
          amount,
          source_hash,
          attester: `account-hash-${account}`,
          timestamp: Number(timestamp),
        })
      }),
    )
  })

  test('behavior: any bytes give a value or a typed error', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) =>
        assertTyped(() => readAttestation(createCursor(bytes, 'Attestation'))),
      ),
    )
  })
})
