import { DecodeError } from '../../../bytes/cursor.ts'
import { type ClValue, decodeClValue } from '../../../casper/types/clValue.ts'
import { decodeInput, revertError } from '../executionError.ts'
import { ReturnSignal } from '../returnSignal.ts'
import { urefsIn } from '../urefsIn.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'

/** The two ways in which a contract ends by itself. */
export const controlFunctions: HostFunctions = {
  ret: {
    parameters: 2,
    hasResult: false,
    cost: costOf('ret'),
    run({ accessRights, memory }, pointer, size) {
      const value = decodeReturned(memory.read(pointer, size))
      const urefs = value === null ? [] : decodeInput(() => urefsIn(value), 'CLValue error')
      urefs.forEach(accessRights.validate)
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

function decodeReturned(bytes: Uint8Array): ClValue | null {
  try {
    return decodeClValue(bytes)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}
