import { describe, expect, test } from 'bun:test'
import { encodeClValue } from '@wattfeed/casper/testing/encodeClValue'
import { type ClType, type ClValue, createUref, encodeBigUint, urefKey } from '@wattfeed/casper/types'
import type { HostCall } from '../support/engine/hostCalls.ts'
import { text } from '../support/engine/hostCalls.ts'
import { foreignUref, forged, KEY, mainPurse, UREF, useAccountSession } from './support/accountSession.ts'

const session = useAccountSession()
const { errorOf } = session

const big = (clType: 'U128' | 'U256' | 'U512', value: bigint): ClValue => ({
  clType,
  bytes: encodeBigUint(value, { U128: 16, U256: 32, U512: 64 }[clType]),
})
const small = (clType: 'U8' | 'I32' | 'U32' | 'U64' | 'I64', ...bytes: number[]): ClValue => ({
  clType,
  bytes: Uint8Array.from(bytes),
})
const minusOne = [255, 255, 255, 255]

/** Adds a value to another one under a new URef. */
const addTo = (current: ClValue, added: ClValue) =>
  session.runWith(
    [],
    { name: 'new_uref', args: [UREF, encodeClValue(current)] },
    { name: 'add', args: [KEY, 34, encodeClValue(added)] },
  )

/** Returns the effect and the value after it. */
function sumOf(current: ClValue, added: ClValue): [effect: unknown, value: unknown] {
  const { error, effects } = addTo(current, added)
  expect(error).toBeNull()
  const [, effect] = effects
  const stored = session.chain.read(effect?.key ?? new Uint8Array())
  return [effect?.transform, stored?.kind === 'CLValue' ? stored.value : stored]
}

describe('add', () => {
  test.each<[ClValue, ClValue, [kind: string, amount: bigint], ClValue]>([
    [small('I32', 1, 0, 0, 0), small('I32', ...minusOne), ['AddInt32', -1n], small('I32', 0, 0, 0, 0)],
    [
      small('U64', ...new Uint8Array(8)),
      small('I32', ...minusOne),
      ['AddInt32', -1n],
      small('U64', ...minusOne, ...minusOne),
    ],
    [small('U8', 250), small('U64', 10, 0, 0, 0, 0, 0, 0, 0), ['AddUInt64', 10n], small('U8', 4)],
    [
      small('U32', 1, 0, 0, 0),
      big('U128', 2n ** 32n + 1n),
      ['AddUInt128', 2n ** 32n + 1n],
      small('U32', 2, 0, 0, 0),
    ],
    [
      small('I64', ...minusOne, ...minusOne),
      big('U256', 1n),
      ['AddUInt256', 1n],
      small('I64', ...new Uint8Array(8)),
    ],
    [big('U512', 2n ** 512n - 1n), big('U512', 3n), ['AddUInt512', 3n], big('U512', 2n)],
  ])(
    'default: %j and %j, without an error when the sum is too large',
    (current, added, [kind, amount], sum) => {
      expect(sumOf(current, added)).toEqual([{ kind, amount }, sum])
    },
  )

  test('error: types that are no numbers', () => {
    const number = 'I32, U64, U128, U256, U512 or (String, Key) tuple'
    const mismatch = (expected: string, found: string) =>
      `Type mismatch. Expected ${expected} but found ${found}.`
    const label: ClValue = { clType: 'String', bytes: text('a') }
    expect(addTo(small('U8', 1), small('U8', 1)).error).toBe(mismatch(number, 'U8'))
    expect(addTo(small('U8', 1), label).error).toBe(mismatch(number, 'String'))
    expect(addTo(label, small('I32', 1, 0, 0, 0)).error).toBe(
      mismatch('integral type compatible with i32', 'String'),
    )
    const tuple: ClType = { Tuple2: ['String', 'Key'] }
    const bytes = Uint8Array.of(...text('name'), ...urefKey(mainPurse))
    expect(addTo(label, { clType: tuple, bytes }).error).toBe(mismatch('Contract or Account', 'String'))
  })

  test('error: a number with other bytes than its type', () => {
    expect(addTo(small('U8', 1), small('I32', 1)).error).toBe(
      'Serialization error: Deserialization error: early end of stream',
    )
  })

  const one = encodeClValue(small('U64', 1, 0, 0, 0, 0, 0, 0, 0))
  const add = (uref: Uint8Array): HostCall => ({ name: 'add', args: [urefKey(uref), one] })

  test('error: a URef without the right, one that the code does not have, and one without a value', () => {
    expect(errorOf(add(createUref(mainPurse.subarray(0, 32), 3)))).toBe('Invalid access rights: ADD')
    expect(errorOf(add(foreignUref))).toBe(forged)
    expect(errorOf(add(createUref(mainPurse.subarray(0, 32), 4)))).toBe(
      `Key Key::URef(${'aa'.repeat(32)}, NONE) not found`,
    )
  })
})
