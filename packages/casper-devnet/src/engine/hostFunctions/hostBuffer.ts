import type { ClValue } from '@wattfeed/casper/types'
import { apiErrors } from '../apiErrors.ts'
import type { Runtime } from '../callContext.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'

/**
 * Puts a value into the host buffer and writes its size. Returns 0, or an `ApiError` if the buffer is not empty.
 *
 * @param write `writeU64` for functions whose size is a `usize` in the node
 */
export function provideValue(
  runtime: Runtime,
  value: ClValue,
  sizePointer: number,
  write: 'writeU32' | 'writeU64' = 'writeU32',
): number {
  if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
  runtime.hostBuffer = value
  runtime.memory[write](sizePointer, value.bytes.length)
  return 0
}

/** The host function by which a contract fetches the result of a read. */
export const hostBufferFunctions: HostFunctions = {
  read_host_buffer: {
    parameters: 3,
    hasResult: true,
    cost: costOf('read_host_buffer'),
    run(runtime, pointer, size, writtenPointer) {
      const value = runtime.hostBuffer
      // As in the node, a buffer of the caller that is too small takes the value, too.
      runtime.hostBuffer = null
      if (value === null) return apiErrors.HostBufferEmpty
      if (value.bytes.length > size) return apiErrors.BufferTooSmall
      runtime.memory.write(pointer, value.bytes)
      runtime.memory.writeU32(writtenPointer, value.bytes.length)
      return 0
    },
  },
}
