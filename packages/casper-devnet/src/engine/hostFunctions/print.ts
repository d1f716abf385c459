import { costOf, type HostFunctions } from './hostFunction.ts'
import { readStringInput } from './input.ts'

/** A node has this function only in its tests: there, a module that imports it is refused. */
export const printFunctions: HostFunctions = {
  print: {
    parameters: 2,
    hasResult: false,
    cost: costOf('print'),
    run(runtime, pointer, size) {
      runtime.execution.print(readStringInput(runtime, pointer, size))
      return undefined
    },
  },
}
