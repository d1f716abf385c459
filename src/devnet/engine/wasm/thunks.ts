import { addType, type InstrumentedFunction, type InstrumentedModule } from './instrumentedModule.ts'
import { opcodes } from './opcodes.ts'
import { externalKinds, type FunctionType, type WasmModule } from './wasmModule.ts'

const NO_LOCALS = 0

/** The references to functions outside the code. */
export type Entries = Pick<WasmModule, 'exports' | 'elements' | 'start'>

/** Maps the function indices in exports, table and start. */
export function mapEntries({ exports, elements, start }: Entries, map: (index: number) => number): Entries {
  return {
    exports: exports.map((each) =>
      each.kind === externalKinds.function ? { ...each, index: map(each.index) } : each,
    ),
    elements: elements.map((segment) => ({ ...segment, functions: segment.functions.map(map) })),
    start: start === null ? null : map(start),
  }
}

/** Lists the function indices in exports, table and start, sorted. */
export function listEntries({ exports, elements, start }: Entries): number[] {
  const exported = exports.flatMap(({ kind, index }) => (kind === externalKinds.function ? [index] : []))
  const inTable = elements.flatMap((segment) => segment.functions)
  const all = new Set([...exported, ...inTable, ...(start === null ? [] : [start])])
  return [...all].sort((a, b) => a - b)
}

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
