import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatPosition, isAhead, type Position, parsePosition } from '../../src/live/position.ts'

const hex8 = fc.stringMatching(/^[0-9a-f]{8}$/)
const count = fc.nat({ max: 2 ** 31 - 1 })
const positions = fc
  .record({ feedRegistry: hex8, attestationRegistry: hex8, lastEvent: hex8, feed: count, attestation: count })
  .map((position) =>
    position.feed + position.attestation === 0 ? { ...position, lastEvent: '00000000' } : position,
  )

const position: Position = {
  feedRegistry: '0f3c9a1e',
  attestationRegistry: '7b2d4c88',
  lastEvent: '5e1f0a9b',
  feed: 36,
  attestation: 1204,
}

describe('formatPosition', () => {
  test('default: both registries, the last event, and both numbers', () =>
    expect(formatPosition(position)).toBe('0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204'))

  test('behavior: is read back', () =>
    fc.assert(fc.property(positions, (each) => expect(parsePosition(formatPosition(each))).toEqual(each))))
})

describe('parsePosition', () => {
  test.each([
    '',
    'f36.a1204',
    '0f3c9a1e-7b2d4c88-5e1f0a9b.f36',
    '0F3C9A1E-7b2d4c88-5e1f0a9b.f36.a1204',
    '0f3c9a1e-7b2d4c88-5e1f0a9b.f036.a1204',
    '0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a-1',
    '0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204 ',
    '0f3c9a1e-7b2d4c88-5e1f0a9b.f0.a0',
  ])('error: %p is invalid', (text) => expect(parsePosition(text)).toBeNull())
})

test.each([
  [{ feed: 36, attestation: 1204 }, false],
  [{ feed: 99, attestation: 1204 }, false],
  [{ feed: 99, attestation: 1203 }, true],
  [{ feed: 35, attestation: 9999 }, true],
])('isAhead: of %p is %p', (of, expected) => expect(isAhead(position, of)).toBe(expected))
