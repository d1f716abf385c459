import { type Cursor, DecodeError } from '../../../bytes/cursor.ts'
import type { ClValue } from '../../../casper/types/clValue.ts'
import { apiErrors } from '../apiError.ts'
import type { Runtime } from '../callContext.ts'
import { callContract } from '../callContract.ts'
import { provideValue } from './hostBuffer.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readArgumentsInput, readHashInput, readInput, readStringInput } from './input.ts'

/** Calls of other contracts. */
export const callFunctions: HostFunctions = {
  call_contract: {
    parameters: 7,
    hasResult: true,
    cost: costOf('call_contract'),
    run(runtime, hashPointer, hashSize, entryPointer, entrySize, argsPointer, argsSize, ...rest) {
      const [sizePointer = 0] = rest
      const contractHash = readHashInput(runtime, hashPointer, hashSize)
      const entryPoint = readStringInput(runtime, entryPointer, entrySize)
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      const args = readArgumentsInput(runtime, argsPointer, argsSize)
      return provideResult(runtime, callContract(runtime, { contractHash }, entryPoint, args), sizePointer)
    },
  },
  call_versioned_contract: {
    parameters: 9,
    hasResult: true,
    cost: costOf('call_versioned_contract'),
    run(runtime, hashPointer, hashSize, versionPointer, versionSize, entryPointer, ...rest) {
      const [entrySize = 0, argsPointer = 0, argsSize = 0, sizePointer = 0] = rest
      const packageHash = readHashInput(runtime, hashPointer, hashSize)
      const version = readInput(runtime, versionPointer, versionSize, readVersion)
      const entryPoint = readStringInput(runtime, entryPointer, entrySize)
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      const args = readArgumentsInput(runtime, argsPointer, argsSize)
      const result = callContract(runtime, { packageHash, version }, entryPoint, args)
      return provideResult(runtime, result, sizePointer)
    },
  },
}

/** A version's number, or null for the newest. */
function readVersion(cursor: Cursor): number | null {
  const tag = cursor.u8()
  if (tag > 1) throw new DecodeError('version', `tag ${tag}`)
  return tag === 0 ? null : cursor.u32()
}

/** A result of no bytes leaves the place for values empty. */
function provideResult(runtime: Runtime, result: ClValue, sizePointer: number): number {
  const tellSize = (size: number): void => runtime.memory.writeU32(sizePointer, size)
  if (result.bytes.length > 0) return provideValue(runtime, result, tellSize)
  tellSize(0)
  return 0
}
