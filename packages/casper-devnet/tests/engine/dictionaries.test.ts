import { describe, expect, test } from 'bun:test'
import { encodeClValue } from '@wattfeed/casper/testing/encodeClValue'
import { apiErrors } from '../../src/engine/apiErrors.ts'
import { type HostCall, OUT, plainText } from '../support/engine/hostCalls.ts'
import { foreignUref, forged, mainPurse, seven, useAccountSession } from './support/accountSession.ts'

const session = useAccountSession()
const { errorOf, effectsOf } = session

describe('dictionaries', () => {
  const put = (itemKey: Uint8Array, returns = 0): HostCall => ({
    name: 'dictionary_put',
    args: [mainPurse, itemKey, seven],
    returns,
  })
  const get = (itemKey: Uint8Array, returns = 0): HostCall => ({
    name: 'dictionary_get',
    args: [mainPurse, itemKey, OUT],
    returns,
  })

  test('default: an item is written and read without its wrapping', () => {
    const effects = effectsOf(put(plainText('key')), get(plainText('key')), {
      name: 'read_host_buffer',
      args: [OUT, 1, OUT + 64],
    })
    expect(effects.map(({ kind }) => typeof kind)).toEqual(['object', 'string'])
    expect(effects[0]?.key).toStartWith('dictionary-')
  })

  test('error: an item key that is too long or not UTF-8', () => {
    const long = plainText('k'.repeat(129))
    const broken = Uint8Array.of(0xff)
    effectsOf(
      put(long, apiErrors.DictionaryItemKeyTooLarge),
      put(broken, apiErrors.InvalidDictionaryItemKey),
      get(broken, apiErrors.InvalidDictionaryItemKey),
      put(plainText('k'.repeat(128))),
      get(plainText('none'), apiErrors.ValueNotFound),
    )
    expect(errorOf(get(long))).toBe('Dictionary item key exceeded maximum length')
  })

  test('error: a seed without the right, or one that the code does not have', () => {
    const args = [plainText('key'), seven] as const
    const readOnly = Uint8Array.of(...mainPurse.subarray(0, 32), 1)
    expect(errorOf({ name: 'dictionary_put', args: [readOnly, ...args] })).toBe(
      'Invalid access rights: WRITE',
    )
    expect(errorOf({ name: 'dictionary_put', args: [foreignUref, ...args] })).toBe(forged)
    expect(errorOf({ name: 'dictionary_get', args: [foreignUref, plainText('key'), OUT] })).toBe(forged)
  })

  test('error: an item that is a URef the code does not have', () => {
    const stolen = encodeClValue({ clType: 'URef', bytes: foreignUref })
    expect(errorOf({ name: 'dictionary_put', args: [mainPurse, plainText('key'), stolen] })).toBe(forged)
  })

  test('behavior: reading an item by its key needs no right', () => {
    const [effect] = effectsOf(put(plainText('key')))
    const key = Uint8Array.of(9, ...Uint8Array.fromHex(String(effect?.key).replace('dictionary-', '')))
    effectsOf(
      { name: 'dictionary_read', args: [key, OUT] },
      { name: 'read_host_buffer', args: [OUT, 1, OUT + 64] },
    )
  })
})
