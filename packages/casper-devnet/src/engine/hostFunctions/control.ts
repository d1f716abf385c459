import { DecodeError } from '@wattfeed/base'
import { type ClValue, decodeClValue } from '@wattfeed/casper/types'
import { assertRights } from '../contextAccessRights.ts'
import { revertError } from '../executionError.ts'
import { urefsOf } from '../urefsIn.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readStringInput } from './input.ts'

/** Unwinds a contract: `ret` throws it, and `runModule` catches it. */
export class ReturnSignal extends Error {
  constructor(
    /** The returned value; null if it cannot be decoded. */
    readonly value: ClValue | null,
    /** URefs in the value. The caller gets access to them. */
    readonly urefs: readonly Uint8Array[],
  ) {
    super('a contract returned')
  }
}

/** The functions that end a contract, and the one that prints. */
export const controlFunctions: HostFunctions = {
  // A node has it only in a build for tests.
  print: {
    parameters: 2,
    hasResult: false,
    cost: costOf('print'),
    run(runtime, pointer, size) {
      runtime.execution.print?.(readStringInput(runtime, pointer, size))
      return undefined
    },
  },
  ret: {
    parameters: 2,
    hasResult: false,
    cost: costOf('ret'),
    run({ accessRights, memory }, pointer, size) {
      const value = decodeReturned(memory.read(pointer, size))
      const urefs = value === null ? [] : urefsOf(value)
      for (const uref of urefs) assertRights(accessRights, uref)
      throw new ReturnSignal(value, urefs)
    },
  },
  revert: {
    parameters: 1,
    hasResult: false,
    cost: costOf('revert'),
    run(_, status) {
      throw revertError(status)
    },
  },
}

/** Decodes what a contract returns; null if it is not a value. */
function decodeReturned(bytes: Uint8Array): ClValue | null {
  try {
    return decodeClValue(bytes)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}
