import type { ClValue } from '../../../casper/types/clValue.ts'
import { apiErrors } from '../apiError.ts'
import type { Runtime } from '../callContext.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'

/**
 * Puts a value where the contract fetches it from, and tells it the size. A value that is still there is not lost:
 * the contract is answered that the place is taken.
 */
export function provideValue(runtime: Runtime, value: ClValue, tellSize: (size: number) => void): number {
  if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
  runtime.hostBuffer = value
  tellSize(value.bytes.length)
  return 0
}

/** The second step of everything that a contract reads. */
export const hostBufferFunctions: HostFunctions = {
  read_host_buffer: {
    parameters: 3,
    hasResult: true,
    cost: costOf('read_host_buffer'),
    run(runtime, pointer, size, writtenPointer) {
      const value = runtime.hostBuffer
      runtime.hostBuffer = null
      if (value === null) return apiErrors.HostBufferEmpty
      if (value.bytes.length > size) return apiErrors.BufferTooSmall
      runtime.memory.write(pointer, value.bytes)
      runtime.memory.writeU32(writtenPointer, value.bytes.length)
      return 0
    },
  },
}
