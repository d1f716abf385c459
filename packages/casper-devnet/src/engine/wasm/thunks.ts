import { listEntries, mapEntries } from './entries.ts'
import { addType, type InstrumentedFunction, type InstrumentedModule } from './instrumentedModule.ts'
import { opcodes } from './opcodes.ts'
import type { FunctionType } from './wasmModule.ts'

const NO_LOCALS = 0

/**
 * Adds thunks for all functions with a stack cost that can be called from outside or through the table. A thunk has the
 * type of the function and calls it with the stack limiter.
 */
export function addThunks(module: InstrumentedModule): InstrumentedModule {
  const { stack } = module
  const types = [...module.types]
  const imported = stack.costs.length - module.functions.length
  const thunks = new Map<number, number>()
  const functions = [...module.functions]
  for (const index of listEntries(module)) {
    const type = types[module.functions[index - imported]?.type ?? -1]
    if (stack.costs[index] === 0 || type === undefined) continue
    thunks.set(index, imported + functions.length)
    functions.push(createThunk(index, type, { type: addType(types, type), heightGlobal: stack.heightGlobal }))
  }
  const entries = mapEntries(module, (index) => thunks.get(index) ?? index)
  return { ...module, ...entries, types, functions }
}

function createThunk(
  callee: number,
  { params }: FunctionType,
  { type, heightGlobal }: { type: number; heightGlobal: number },
): InstrumentedFunction {
  return {
    type,
    references: () => ({ functions: [callee], types: [], globals: [heightGlobal] }),
    write(writer, _, encodeCall) {
      writer.u32(NO_LOCALS)
      for (const index of params.keys()) writer.u8(opcodes.localGet).u32(index)
      writer.bytes(encodeCall(callee)).u8(opcodes.end)
    },
  }
}
