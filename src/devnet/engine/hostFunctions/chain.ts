import { apiErrors } from '../apiError.ts'
import { type Caller, encodeCallers, type Runtime } from '../callContext.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { provideValue } from './input.ts'

const CALLER_INFORMATION_COST = 10_000
const INITIATOR = 0
const IMMEDIATE = 1
const FULL_STACK = 2

export const chainFunctions: HostFunctions = {
  load_caller_information: {
    parameters: 3,
    hasResult: true,
    cost: () => CALLER_INFORMATION_COST,
    run(runtime, action, countPointer, sizePointer) {
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      const callers = callersOf(runtime, action & 0xff)
      if (typeof callers === 'number') return callers
      runtime.memory.writeU32(countPointer, callers.length)
      return provideValue(runtime, encodeCallers(callers), (size) =>
        runtime.memory.writeU32(sizePointer, size),
      )
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
