import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '@wattfeed/base'
import { type ClValue, writeClValue } from '@wattfeed/casper/types'
import { apiErrors } from '../apiErrors.ts'
import type { Caller, Runtime } from '../callContext.ts'
import { provideValue } from './hostBuffer.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'

/** A constant of the node: the chainspec has no cost of this function. */
const CALLER_INFORMATION_COST = 10_000

// The actions of `load_caller_information`, a byte.
const INITIATOR = 0
const IMMEDIATE = 1
const FULL_STACK = 2

/** The functions by which code learns who called it, and in which block. */
export const callInformationFunctions: HostFunctions = {
  load_caller_information: {
    parameters: 3,
    byteParameter: 0,
    hasResult: true,
    cost: () => CALLER_INFORMATION_COST,
    run(runtime, action, countPointer, sizePointer) {
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      const callers = callersOf(runtime, action)
      if (typeof callers === 'number') return callers
      runtime.memory.writeU32(countPointer, callers.length)
      return provideValue(runtime, encodeCallers(callers), sizePointer)
    },
  },
  get_blocktime: {
    parameters: 1,
    hasResult: false,
    cost: costOf('get_blocktime'),
    run({ memory, execution }, pointer) {
      memory.writeU64(pointer, execution.blockTimeMs)
      return undefined
    },
  },
}

/** Returns the requested frames of the call stack, or an `ApiError`. */
function callersOf({ stack, execution }: Runtime, action: number): readonly Caller[] | number {
  if (action === INITIATOR) return [{ kind: 'account', accountHash: execution.initiator }]
  if (action === FULL_STACK) return stack
  if (action !== IMMEDIATE) return apiErrors.InvalidCallerInfoRequest
  const caller = stack.at(-2)
  return caller === undefined ? apiErrors.Unhandled : [caller]
}

// The kinds of frames.
const ACCOUNT = 0
const CONTRACT = 4

/**
 * Encodes frames for a contract as a `List` of `Any`. Each has a byte for its kind and five numbered fields: account,
 * package, contract package, entity, contract. Package and entity are always absent, because this chain has no addressable
 * entities.
 */
function encodeCallers(callers: readonly Caller[]): ClValue {
  const writer = createByteWriter(256).u32(callers.length)
  for (const caller of callers) {
    const isAccount = caller.kind === 'account'
    const fields = [
      optionalHash(isAccount ? caller.accountHash : null),
      optionalHash(null),
      optionalHash(isAccount ? null : caller.packageHash),
      { clType: { Option: 'Any' }, bytes: Uint8Array.of(0) } as const,
      optionalHash(isAccount ? null : caller.contractHash),
    ]
    writer.u8(isAccount ? ACCOUNT : CONTRACT).u32(fields.length)
    fields.forEach((field, index) => {
      writeClValue(writer.u8(index), field)
    })
  }
  return { clType: { List: 'Any' }, bytes: writer.finish() }
}

const optionalHash = (hash: Uint8Array | null): ClValue => ({
  clType: { Option: { ByteArray: 32 } },
  bytes: hash === null ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), hash),
})
