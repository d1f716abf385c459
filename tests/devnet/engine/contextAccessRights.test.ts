import { expect, test } from 'bun:test'
import { accessRights } from '../../../src/casper/types/key.ts'
import { createContextAccessRights } from '../../../src/devnet/engine/contextAccessRights.ts'
import { ExecutionError } from '../../../src/devnet/engine/executionError.ts'

const uref = (rights: number, address = 7): Uint8Array =>
  Uint8Array.of(...new Uint8Array(32).fill(address), rights)

const { read, write, add } = accessRights

test('default: only the added rights of a URef are valid', () => {
  const rights = createContextAccessRights()
  rights.extend([uref(read)])
  expect([read, write, add, read | write].map((wanted) => rights.has(uref(wanted)))).toEqual([
    true,
    false,
    false,
    false,
  ])
  expect(() => rights.validate(uref(write))).toThrow(ExecutionError)
  expect(rights.has(uref(read, 8))).toBeFalse()
})

test('behavior: rights accumulate', () => {
  const rights = createContextAccessRights()
  rights.extend([uref(read)])
  rights.extend([uref(write)])
  expect([rights.has(uref(read | write)), rights.has(uref(add))]).toEqual([true, false])
})
