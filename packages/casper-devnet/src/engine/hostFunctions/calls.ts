import { type Cursor, DecodeError } from '@wattfeed/base'
import type { ClValue, NamedArgument } from '@wattfeed/casper/types'
import { apiErrors } from '../apiErrors.ts'
import type { Runtime } from '../callContext.ts'
import { assertNotPaymentPurse } from '../purseUse.ts'
import { urefsOf } from '../urefsIn.ts'
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
      const args = readCallArguments(runtime, argsPointer, argsSize)
      const result = runtime.execution.callContract(runtime, { contractHash }, entryPoint, args)
      return provideResult(runtime, result, sizePointer)
    },
  },
  call_package_version: {
    parameters: 11,
    hasResult: true,
    cost: costOf('call_package_version'),
    run(runtime, hashPointer, hashSize, majorPointer, majorSize, versionPointer, versionSize, ...rest) {
      const [entryPointer = 0, entrySize = 0, argsPointer = 0, argsSize = 0, sizePointer = 0] = rest
      const packageHash = readHashInput(runtime, hashPointer, hashSize)
      const version = readInput(runtime, versionPointer, versionSize, readVersion)
      const protocolVersionMajor = readInput(runtime, majorPointer, majorSize, readVersion) ?? undefined
      const entryPoint = readStringInput(runtime, entryPointer, entrySize)
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      const args = readCallArguments(runtime, argsPointer, argsSize)
      const contract = { packageHash, protocolVersionMajor, version }
      const result = runtime.execution.callContract(runtime, contract, entryPoint, args)
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
      const args = readCallArguments(runtime, argsPointer, argsSize)
      const result = runtime.execution.callContract(runtime, { packageHash, version }, entryPoint, args)
      return provideResult(runtime, result, sizePointer)
    },
  },
}

/** @throws {ExecutionError} when an argument has the payment purse, which no other code may have */
function readCallArguments(runtime: Runtime, pointer: number, size: number): NamedArgument[] {
  const args = readInput(runtime, pointer, size, readArguments)
  if (runtime.purses.paymentPurse !== null)
    for (const uref of args.flatMap(urefsOf)) assertNotPaymentPurse(runtime.purses, uref)
  return args
}

/** Reads the number of a version, or of a protocol; null means the newest. */
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
