import { type Cursor, DecodeError } from '../../../bytes/cursor.ts'
import { type ClValue, decodeClValue } from '../../../casper/types/clValue.ts'
import { apiErrors } from '../apiError.ts'
import { ReturnSignal, type Runtime } from '../callContext.ts'
import { assertRights } from '../contextAccessRights.ts'
import { decodeInput, revertError } from '../executionError.ts'
import { urefsIn } from '../urefsIn.ts'
import { provideValue } from './hostBuffer.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readArguments, readHashInput, readInput, readStringInput } from './input.ts'

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
      const args = readInput(runtime, argsPointer, argsSize, readArguments)
      const result = runtime.execution.callContract(runtime, { contractHash }, entryPoint, args)
      return provideResult(runtime, result, sizePointer)
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
      const args = readInput(runtime, argsPointer, argsSize, readArguments)
      const result = runtime.execution.callContract(runtime, { packageHash, version }, entryPoint, args)
      return provideResult(runtime, result, sizePointer)
    },
  },
}

/** Reads the number of a version; null means the newest. */
function readVersion(cursor: Cursor): number | null {
  const tag = cursor.u8()
  if (tag > 1) throw new DecodeError('version', `tag ${tag}`)
  return tag === 0 ? null : cursor.u32()
}

/** Returns a result through the host buffer. An empty result leaves the buffer empty. */
function provideResult(runtime: Runtime, result: ClValue, sizePointer: number): number {
  if (result.bytes.length > 0) return provideValue(runtime, result, sizePointer)
  runtime.memory.writeU32(sizePointer, 0)
  return 0
}

export const argumentFunctions: HostFunctions = {
  get_named_arg_size: {
    parameters: 3,
    hasResult: true,
    cost: costOf('get_named_arg_size'),
    run(runtime, namePointer, nameSize, sizePointer) {
      const arg = findArgument(runtime, namePointer, nameSize)
      if (arg === null) return apiErrors.MissingArgument
      runtime.memory.writeU32(sizePointer, arg.bytes.length)
      return 0
    },
  },
  get_named_arg: {
    parameters: 4,
    hasResult: true,
    cost: costOf('get_named_arg'),
    run(runtime, namePointer, nameSize, pointer, size) {
      const arg = findArgument(runtime, namePointer, nameSize)
      if (arg === null) return apiErrors.MissingArgument
      if (arg.bytes.length > size) return apiErrors.OutOfMemory
      runtime.memory.write(pointer, arg.bytes)
      return 0
    },
  },
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns the first argument with a name. The name in memory has no length prefix. */
function findArgument({ args, memory }: Runtime, pointer: number, size: number): ClValue | null {
  const name = utf8.decode(memory.read(pointer, size))
  return args.find((arg) => arg.name === name) ?? null
}

export const controlFunctions: HostFunctions = {
  ret: {
    parameters: 2,
    hasResult: false,
    cost: costOf('ret'),
    run({ accessRights, memory }, pointer, size) {
      const value = decodeReturned(memory.read(pointer, size))
      const urefs = value === null ? [] : decodeInput(() => urefsIn(value), 'CLValue error')
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

function decodeReturned(bytes: Uint8Array): ClValue | null {
  try {
    return decodeClValue(bytes)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}
