import { expect, test } from 'bun:test'
import { encodeHex } from '@wattfeed/base'
import { ArgumentError, type ClType, countArgumentBytes } from '@wattfeed/casper/types'
import { type KeyChange, sessionArgs } from '../../../src/operator/committee/sessionArgs.ts'

const hashOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const hexOf = (byte: number): string => encodeHex(hashOf(byte))

const change: KeyChange = {
  current: [{ accountHash: hashOf(7), weight: 3 }],
  next: [
    { accountHash: hashOf(9), weight: 2 },
    { accountHash: hashOf(8), weight: 1 },
  ],
  recovery: [hashOf(9), hashOf(8)],
  thresholds: { deployment: 2, keyManagement: 3 },
}

test('default: the keys are in ascending order of their hashes', () => {
  const args = Object.entries(sessionArgs(change)).map(([name, value]) => [
    name,
    value?.clType,
    encodeHex(value?.bytes ?? new Uint8Array()),
  ])
  const keys: ClType = { List: { Tuple2: [{ ByteArray: 32 }, 'U8'] } }
  expect(args).toEqual([
    ['current', keys, `01000000${hexOf(7)}03`],
    ['next', keys, `02000000${hexOf(8)}01${hexOf(9)}02`],
    ['recovery', { List: { ByteArray: 32 } }, `02000000${hexOf(8)}${hexOf(9)}`],
    ['deployment', 'U8', '02'],
    ['key_management', 'U8', '03'],
  ])
})

test('behavior: the arguments of 13 old and 13 new keys are the most that a lane takes', () => {
  const keys = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ accountHash: hashOf(index), weight: 1 }))
  const bytesOf = (count: number): number =>
    countArgumentBytes(sessionArgs({ ...change, current: keys(count), next: keys(count), recovery: [] }))
  expect(bytesOf(5)).toBeLessThanOrEqual(512)
  expect(bytesOf(6)).toBeGreaterThan(512)
  expect(bytesOf(13)).toBeLessThanOrEqual(1_024)
  expect(bytesOf(14)).toBeGreaterThan(1_024)
})

test('error: a weight that is no byte', () => {
  const next = [{ accountHash: hashOf(1), weight: 256 }]
  expect(() => sessionArgs({ ...change, next })).toThrow(ArgumentError)
})
