import { describe, expect, test } from 'bun:test'
import { createOverlay } from '../../src/chain/overlay.ts'

const value = Uint8Array.of(1)

describe('createOverlay', () => {
  test('default: writes hide the values below, and their keys are listed', () => {
    const below = new Map([
      ['1302aa', value],
      ['1302ab', value],
    ])
    const overlay = createOverlay({ read: (key) => below.get(key) ?? null, listKeys: () => below.keys() })
    overlay.write('1302aa', null)
    overlay.write('1302ac', value)
    overlay.write('01aa', value)
    expect([overlay.read('1302aa'), overlay.read('1302ab'), overlay.read('1302ac')]).toEqual([
      null,
      value,
      value,
    ])
    expect([...overlay.listKeys('1302')]).toEqual(['1302ab', '1302ac'])
    expect([...overlay.writes.keys()]).toEqual(['1302aa', '1302ac', '01aa'])
  })
})
