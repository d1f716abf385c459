import { expect, test } from 'bun:test'
import { accessRights } from '@wattfeed/casper/types'
import {
  assertRights,
  type ContextAccessRights,
  extendRights,
  hasRights,
} from '../../src/engine/contextAccessRights.ts'
import { ExecutionError } from '../../src/engine/executionError.ts'

const uref = (rights: number, address = 7): Uint8Array =>
  Uint8Array.of(...new Uint8Array(32).fill(address), rights)

const { read, write, add } = accessRights

test('default: only the added rights of a URef are valid', () => {
  const rights: ContextAccessRights = new Map()
  extendRights(rights, [uref(read)])
  expect([read, write, add, read | write].map((wanted) => hasRights(rights, uref(wanted)))).toEqual([
    true,
    false,
    false,
    false,
  ])
  expect(() => assertRights(rights, uref(write))).toThrow(ExecutionError)
  expect(hasRights(rights, uref(read, 8))).toBeFalse()
})

test('behavior: rights accumulate', () => {
  const rights: ContextAccessRights = new Map()
  extendRights(rights, [uref(read)])
  extendRights(rights, [uref(write)])
  expect([hasRights(rights, uref(read | write)), hasRights(rights, uref(add))]).toEqual([true, false])
})
