import { describe, expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import { anyClType } from '@wattfeed/casper/testing/anyClType'
import type { ClType } from '@wattfeed/casper/types'
import fc from 'fast-check'
import { urefsIn, withoutWriteRight } from '../../src/engine/urefsIn.ts'

const address = (byte: number) => new Uint8Array(32).fill(byte)
const uref = (byte: number) => Uint8Array.of(...address(byte), 7)
const key = (byte: number) => Uint8Array.of(2, ...uref(byte))
const hash = Uint8Array.of(1, ...address(9))
const text = Uint8Array.of(1, 0, 0, 0, 120)
const two = Uint8Array.of(2, 0, 0, 0)

const values: [ClType, Uint8Array[], number[]][] = [
  ['U8', [Uint8Array.of(7)], []],
  ['URef', [uref(1)], [1]],
  ['Key', [key(1)], [1]],
  ['Key', [hash], []],
  [{ Option: 'URef' }, [Uint8Array.of(1), uref(1)], [1]],
  [{ Option: 'URef' }, [Uint8Array.of(0)], []],
  [{ Option: 'Key' }, [Uint8Array.of(1), key(2)], [2]],
  [{ List: 'URef' }, [two, uref(1), uref(2)], [1, 2]],
  [{ List: 'Key' }, [two, hash, key(2)], [2]],
  [{ Result: { ok: 'URef', err: 'String' } }, [Uint8Array.of(1), uref(1)], [1]],
  [{ Result: { ok: 'URef', err: 'String' } }, [Uint8Array.of(0), text], []],
  [{ Map: { key: 'String', value: 'URef' } }, [two, text, uref(1), text, uref(2)], [1, 2]],
  [{ Map: { key: 'Key', value: 'U512' } }, [two, key(1), Uint8Array.of(1, 9), hash, Uint8Array.of(0)], [1]],
  [{ Tuple1: ['URef'] }, [uref(1)], [1]],
  [{ Tuple2: ['PublicKey', 'URef'] }, [Uint8Array.of(1), address(5), uref(1)], [1]],
  [{ Tuple3: ['Bool', 'URef', 'Key'] }, [Uint8Array.of(1), uref(1), key(2)], [1, 2]],
  // Places that a node does not search.
  [{ List: { Option: 'URef' } }, [two, Uint8Array.of(1), uref(1), Uint8Array.of(0)], []],
  [{ Tuple2: ['Any', 'URef'] }, [uref(1)], []],
  [{ ByteArray: 33 }, [uref(1)], []],
  ['Any', [uref(1)], []],
]

const join = (parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))

describe('urefsIn', () => {
  test.each(values.map((each) => [JSON.stringify(each[0]), ...each] as const))(
    'default: %s',
    (_, clType, parts, urefs) => {
      expect(urefsIn({ clType, bytes: join(parts) })).toEqual(urefs.map(uref))
    },
  )

  test.each([
    ['URef', Uint8Array.of(1)],
    ['URef', Uint8Array.of(...uref(1), 0)],
    ['Key', Uint8Array.of(99)],
    ['Key', Uint8Array.of(2, ...address(1), 8)],
    [{ Option: 'URef' }, Uint8Array.of(2)],
    [{ List: 'URef' }, Uint8Array.of(255, 255, 255, 255)],
    [{ Map: { key: 'String', value: 'URef' } }, Uint8Array.of(1, 0, 0, 0, 255, 255, 255, 255)],
  ] satisfies [ClType, Uint8Array][])('error: bytes that are not a %p', (clType, bytes) => {
    expect(() => urefsIn({ clType, bytes })).toThrow(DecodeError)
  })

  test('behavior: the traversal ends for any bytes', () => {
    fc.assert(
      fc.property(anyClType, fc.uint8Array({ maxLength: 100 }), (clType, bytes) => {
        try {
          urefsIn({ clType, bytes })
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
        }
      }),
    )
  })
})

describe('withoutWriteRight', () => {
  test('default: only URefs with the address lose the right; the original value is unchanged', () => {
    const before = { clType: { List: 'URef' }, bytes: join([two, uref(1), uref(2)]) } as const
    const after = withoutWriteRight(before, address(1))
    expect(urefsIn(after)).toEqual([Uint8Array.of(...address(1), 5), uref(2)])
    expect(urefsIn(before)).toEqual([uref(1), uref(2)])
  })
})
