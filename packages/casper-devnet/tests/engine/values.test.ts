import { describe, expect, test } from 'bun:test'
import { encodeClValue } from '@wattfeed/casper/testing/encodeClValue'
import { accountKey, hashKey, keyTags, urefKey } from '@wattfeed/casper/types'
import { apiErrors } from '../../src/engine/apiErrors.ts'
import { type HostCall, OUT, text } from '../support/engine/hostCalls.ts'
import {
  account,
  foreignUref,
  forged,
  KEY,
  mainPurse,
  seven,
  UREF,
  useAccountSession,
} from './support/accountSession.ts'

const accountText = `account-hash-${account.toHex()}`
const otherHash = hashKey(new Uint8Array(32).fill(5))

const session = useAccountSession()
const { errorOf, effectsOf } = session

describe('named keys', () => {
  const put: HostCall = { name: 'put_key', args: [text('other'), otherHash] }

  test('default: a named key is added, found, read and removed', () => {
    const effects = effectsOf(
      { name: 'has_key', args: [text('other')], returns: 1 },
      put,
      { name: 'has_key', args: [text('other')] },
      { name: 'get_key', args: [text('other'), OUT, 33, OUT + 64] },
      { name: 'remove_key', args: [text('other')] },
      { name: 'has_key', args: [text('other')], returns: 1 },
    )
    expect(
      effects.map(({ key, kind }) => [key, typeof kind === 'string' ? kind : Object.keys(Object(kind))[0]]),
    ).toEqual([
      [accountText, 'AddKeys'],
      [accountText, 'Identity'],
      [accountText, 'Write'],
    ])
    expect(effects[0]?.kind).toEqual({ AddKeys: [{ name: 'other', key: `hash-${'05'.repeat(32)}` }] })
    expect(session.chain.read(accountKey(account))).toMatchObject({ account: { namedKeys: new Map() } })
  })

  test('behavior: a named key is preserved for the next transaction', () => {
    effectsOf(put)
    effectsOf({ name: 'get_key', args: [text('other'), OUT, 33, OUT + 64] })
    expect(session.chain.read(accountKey(account))).toMatchObject({
      account: { namedKeys: new Map([['other', otherHash]]) },
    })
  })

  test('behavior: an account is written even if the name does not exist', () => {
    expect(effectsOf({ name: 'remove_key', args: [text('none')] })).toHaveLength(2)
  })

  test('error: a missing name, and a buffer that is too small', () => {
    effectsOf(put, {
      name: 'get_key',
      args: [text('none'), OUT, 33, OUT + 64],
      returns: apiErrors.MissingKey,
    })
    effectsOf({
      name: 'get_key',
      args: [text('other'), OUT, 32, OUT + 64],
      returns: apiErrors.BufferTooSmall,
    })
  })

  test('error: a URef that the account does not have', () => {
    expect(errorOf({ name: 'put_key', args: [text('stolen'), urefKey(foreignUref)] })).toBe(forged)
  })
})

describe('values', () => {
  const read = (key: Uint8Array, returns = 0): HostCall => ({ name: 'read_value', args: [key, OUT], returns })

  test('behavior: a value must be fetched before the next read', () => {
    effectsOf(
      { name: 'new_dictionary', args: [OUT] },
      { name: 'new_dictionary', args: [OUT], returns: apiErrors.HostBufferFull },
      { name: 'read_host_buffer', args: [OUT, 33, OUT + 64] },
      { name: 'read_host_buffer', args: [OUT, 33, OUT + 64], returns: apiErrors.HostBufferEmpty },
    )
  })

  test('behavior: a value that does not fit is lost', () => {
    effectsOf(
      { name: 'new_dictionary', args: [OUT] },
      { name: 'read_host_buffer', args: [OUT, 32, OUT + 64], returns: apiErrors.BufferTooSmall },
      { name: 'read_host_buffer', args: [OUT, 33, OUT + 64], returns: apiErrors.HostBufferEmpty },
    )
  })

  test('behavior: reading a missing value has no effect', () => {
    expect(effectsOf(read(hashKey(new Uint8Array(32)), apiErrors.ValueNotFound))).toEqual([])
  })

  test('error: an account is not readable for a contract', () => {
    expect(errorOf(read(accountKey(account)))).toBe('Type mismatch. Expected StoredValue but found Account.')
  })

  test('error: a key of an unreadable kind', () => {
    const eraInfo = Uint8Array.of(5, ...new Uint8Array(8))
    expect(errorOf(read(eraInfo))).toBe('Invalid access rights: READ')
  })

  test('error: a URef without the right, or one that the code does not have', () => {
    const writeOnly = urefKey(Uint8Array.of(...mainPurse.subarray(0, 32), 2))
    expect(errorOf(read(writeOnly))).toBe('Invalid access rights: READ')
    expect(errorOf(read(urefKey(foreignUref)))).toBe(forged)
    const readOnly = urefKey(Uint8Array.of(...mainPurse.subarray(0, 32), 1))
    expect(errorOf({ name: 'write', args: [readOnly, seven] })).toBe('Invalid access rights: WRITE')
    expect(errorOf({ name: 'write', args: [hashKey(account), seven] })).toBe('Invalid access rights: WRITE')
  })

  test('error: a key that is longer than a URef, and has a byte in the place of the rights', () => {
    const entity = Uint8Array.of(keyTags.addressableEntity, 1, ...new Uint8Array(32).fill(7))
    expect(errorOf({ name: 'write', args: [entity, seven] })).toBe('Invalid access rights: WRITE')
  })

  test('error: a key with rights that the code does not have cannot be stored', () => {
    const stolen = [
      encodeClValue({ clType: 'URef', bytes: foreignUref }),
      encodeClValue({ clType: 'Key', bytes: urefKey(foreignUref) }),
      encodeClValue({
        clType: { Tuple2: ['String', 'Key'] },
        bytes: Uint8Array.of(...text('x'), ...urefKey(foreignUref)),
      }),
    ]
    for (const value of stolen) expect(errorOf({ name: 'new_uref', args: [OUT, value] })).toBe(forged)
    const hidden = encodeClValue({
      clType: { List: 'URef' },
      bytes: Uint8Array.of(1, 0, 0, 0, ...foreignUref),
    })
    expect(errorOf({ name: 'new_uref', args: [OUT, hidden] })).toBeNull()
  })

  test('error: the same when replacing an existing value', () => {
    const write = (value: Uint8Array) =>
      session.runWith(
        [],
        { name: 'new_uref', args: [UREF, seven] },
        { name: 'write', args: [KEY, 34, value] },
      ).error
    expect(write(encodeClValue({ clType: 'URef', bytes: mainPurse }))).toBeNull()
    expect(write(encodeClValue({ clType: 'URef', bytes: foreignUref }))).toBe(forged)
  })

  test('error: a value of type URef with invalid bytes', () => {
    const broken = encodeClValue({ clType: 'URef', bytes: Uint8Array.of(1) })
    expect(errorOf({ name: 'new_uref', args: [OUT, broken] })).toBe(
      'CLValue error: Deserialization error: early end of stream',
    )
  })

  test('error: a value whose type is nested too deeply', () => {
    const deep = Uint8Array.of(0, 0, 0, 0, ...new Uint8Array(50).fill(13), 3)
    expect(errorOf({ name: 'new_uref', args: [OUT, deep] })).toBe(
      'Serialization error: exceeded recursion depth',
    )
  })
})
