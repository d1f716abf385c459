import type { ClValue } from '@wattfeed/casper/types'
import { apiErrors } from '../apiErrors.ts'
import type { Runtime } from '../callContext.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'

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
