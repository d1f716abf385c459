import { describe, expect, test } from 'bun:test'
import { createMessageKeys } from '../../src/chain/messageKeys.ts'

const value = Uint8Array.of(1)

describe('createMessageKeys', () => {
  test('default: lists keys of messages by prefix', () => {
    const keys = createMessageKeys()
    keys.update([
      ['1302aa', value],
      ['1302ab', value],
      ['1301aa', value],
      ['01aa', value],
    ])
    keys.update([['1302ab', null]])
    expect([...keys.list('1302')]).toEqual(['1302aa'])
    expect([...keys.list('13')]).toEqual(['1302aa', '1301aa'])
    expect([...keys.list('01')]).toEqual([])
  })

  test('behavior: a fork starts with the same keys and is independent', () => {
    const keys = createMessageKeys()
    keys.update([['1302aa', value]])
    const fork = keys.fork()
    keys.update([['1302ab', value]])
    fork.update([['1302aa', null]])
    expect([[...keys.list('1302')], [...fork.list('1302')]]).toEqual([['1302aa', '1302ab'], []])
  })
})
