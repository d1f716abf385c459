import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '@wattfeed/base'
import { type ClValue, sortedEntries, writeClValue } from '@wattfeed/casper/types'
import { apiErrors } from '../apiErrors.ts'
import type { Caller, Runtime } from '../callContext.ts'
import { provideValue } from './hostBuffer.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'

/** A constant of the node: the chainspec has no cost of the functions that list callers and keys. */
const CALLER_INFORMATION_COST = 10_000

/** The phase of session code. Code of a payment cannot run here. */
const SESSION_PHASE = 2

// The actions of `load_caller_information`, a byte.
const INITIATOR = 0
const IMMEDIATE = 1
const FULL_STACK = 2

/** The functions by which code learns who called it, and with which keys. */
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
  load_call_stack: {
    parameters: 2,
    hasResult: true,
    cost: () => CALLER_INFORMATION_COST,
    run: (runtime, countPointer, sizePointer) =>
      provideItems(runtime, runtime.stack.map(encodeFrame), { countPointer, sizePointer }),
  },
  load_authorization_keys: {
    parameters: 2,
    hasResult: true,
    cost: () => CALLER_INFORMATION_COST,
    run(runtime, countPointer, sizePointer) {
      const keys = new Map(runtime.execution.signers.map((key) => [key.toHex(), key]))
      const sorted = sortedEntries(keys).map(([, key]) => key)
      return provideItems(runtime, sorted, { countPointer, sizePointer })
    },
  },
  load_named_keys: {
    parameters: 2,
    hasResult: true,
    cost: costOf('load_named_keys'),
    run(runtime, countPointer, sizePointer) {
      const items = sortedEntries(runtime.namedKeys).map(([name, key]) =>
        createByteWriter().string(name).bytes(key).finish(),
      )
      return provideItems(runtime, items, { countPointer, sizePointer })
    },
  },
  get_caller: {
    parameters: 1,
    hasResult: true,
    cost: costOf('get_caller'),
    run(runtime, sizePointer) {
      const value = { clType: { ByteArray: 32 }, bytes: runtime.execution.initiator } as const
      return provideValue(runtime, value, sizePointer, 'writeU64')
    },
  },
  get_phase: {
    parameters: 1,
    hasResult: false,
    cost: costOf('get_phase'),
    run({ memory }, pointer) {
      memory.write(pointer, Uint8Array.of(SESSION_PHASE))
      return undefined
    },
  },
}

/** Writes the number of the items, and provides them as a list. No items leave the buffer empty. */
function provideItems(
  runtime: Runtime,
  items: readonly Uint8Array[],
  { countPointer, sizePointer }: { countPointer: number; sizePointer: number },
): number {
  if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
  runtime.memory.writeU32(countPointer, items.length)
  if (items.length === 0) return 0
  const writer = createByteWriter()
  return provideValue(
    runtime,
    { clType: { List: 'Any' }, bytes: writer.list(items, writer.bytes).finish() },
    sizePointer,
  )
}

/** Returns the requested frames of the call stack, or an `ApiError`. */
function callersOf({ stack, execution }: Runtime, action: number): readonly Caller[] | number {
  if (action === INITIATOR) return [{ kind: 'account', accountHash: execution.initiator }]
  if (action === FULL_STACK) return stack
  if (action !== IMMEDIATE) return apiErrors.InvalidCallerInfoRequest
  const caller = stack.at(-2)
  return caller === undefined ? apiErrors.Unhandled : [caller]
}

// The kinds of frames of `load_call_stack`, which the node calls `CallStackElement`.
const SESSION = 0
const STORED_CONTRACT = 2

/** Encodes a frame for `load_call_stack`. A node shows stored session code as a contract, too. */
const encodeFrame = (caller: Caller): Uint8Array =>
  caller.kind === 'account'
    ? concatBytes(Uint8Array.of(SESSION), caller.accountHash)
    : concatBytes(Uint8Array.of(STORED_CONTRACT), caller.packageHash, caller.contractHash)

// The kinds of frames of `load_caller_information`.
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
