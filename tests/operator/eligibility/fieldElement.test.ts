import { describe, expect, test } from 'bun:test'
import {
  hashToField,
  ORDER,
  parseFieldElement,
  toHex,
} from '../../../src/operator/eligibility/fieldElement.ts'

describe('hashToField', () => {
  test('default: keccak256 of the 32 bytes, less the last 8 bits', () => {
    expect(toHex(hashToField('00'.repeat(32)))).toBe(
      '00290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e5',
    )
  })
})

describe('parseFieldElement', () => {
  test.each([
    ['1', 1n],
    ['0xff', 255n],
    [`${ORDER - 1n}`, ORDER - 1n],
    [`0x${(ORDER - 1n).toString(16)}`, ORDER - 1n],
  ])('default: %p', (text, value) => {
    expect(parseFieldElement(text)).toBe(value)
  })

  test.each(['', '0', '0x0', '-1', '1.0', '1n', ' 1', `${ORDER}`, `0x${'f'.repeat(64)}`, '9'.repeat(79)])(
    'error: %p is invalid',
    (text) => {
      expect(parseFieldElement(text)).toBeNull()
    },
  )
})
