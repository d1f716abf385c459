import type { Chainspec } from '../../chainspec.ts'
import { decodeModule, type SourceModule } from './decodeModule.ts'
import { mapEntries } from './entries.ts'
import { addType, type InstrumentedFunction, type InstrumentedModule } from './instrumentedModule.ts'
import { createMeteredFunction, shiftFunction } from './meteredFunction.ts'
import { createOpcodeCosts } from './opcodeCosts.ts'
import { opcodes } from './opcodes.ts'
import { addThunks } from './thunks.ts'
import { validateModule } from './validateModule.ts'
import {
  countImportedFunctions,
  type FunctionType,
  type Global,
  type Import,
  valueTypes,
} from './wasmModule.ts'
import { createWasmWriter } from './wasmWriter.ts'

/**
 * Prepares a module like a node does before it runs it. Checks the module, replaces its memory by an import, and adds gas
 * metering and a stack limit.
 *
 * Contracts are stored in this form and every byte is charged. So the result equals the node's byte for byte, except for
 * the names of functions, which a node preserves.
 *
 * The node's own crates, `casper-wasm` 1.0.0 and `casper-wasm-utils` 4.0.0, give the same bytes when compiled to WebAssembly.
 * But their code is cold in each new process: a boot with both registries takes 340 ms instead of 220 ms.
 *
 * @throws {ExecutionError} with the node's message
 */
export function preprocess(wasm: Uint8Array, { wasm: { v1 } }: Chainspec): InstrumentedModule {
  const source = validateModule(decodeModule(wasm, createOpcodeCosts(v1.opcode_costs)))
  const types = [...source.types]
  const gasType = addType(types, { params: [valueTypes.i32], results: [] })
  const gasFunction = countImportedFunctions(source)
  const growFunction = gasFunction + 1 + source.functions.length
  const hasGrow = growsMemory(source)
  const stack = {
    costs: [
      ...Array<number>(gasFunction + 1).fill(0),
      ...stackCosts(source),
      ...(hasGrow ? [GROW_COUNTER_HEIGHT] : []),
    ],
    heightGlobal: source.globals?.length ?? 0,
    limit: v1.max_stack_height,
  }
  const metered = source.bodies.map((body, index) =>
    createMeteredFunction(body, source.functions[index] ?? 0, { gasFunction, growFunction, stack }),
  )
  const gas: Import = { module: 'env', field: 'gas', kind: 'function', type: gasType }
  const grow = hasGrow
    ? [createGrowCounter(addType(types, growType), v1.opcode_costs.grow_memory, gasFunction)]
    : []
  return addThunks({
    ...source,
    ...mapEntries(source, (index) => shiftFunction(index, gasFunction)),
    types,
    imports: [...source.imports, externalMemory(source, v1.max_memory), gas],
    functions: [...metered, ...grow],
    memories: source.memories.slice(0, -1),
    globals: [...(source.globals ?? []), stackHeightGlobal],
    stack,
  })
}

/** The type of `memory.grow`. */
const growType: FunctionType = { params: [valueTypes.i32], results: [valueTypes.i32] }

function externalMemory({ memories }: SourceModule, maxMemory: number): Import {
  const { initial, maximum } = memories.at(-1) ?? { initial: 0, maximum: null }
  const limits = { initial, maximum: maximum ?? maxMemory }
  return { module: 'env', field: 'memory', kind: 'memory', limits }
}

const stackHeightGlobal: Global = {
  type: { valueType: valueTypes.i32, isMutable: true },
  init: Uint8Array.of(opcodes.i32Const, 0, opcodes.end),
}

const growsMemory = ({ bodies }: SourceModule): boolean =>
  bodies.some(({ code, marks }) =>
    marks.some((offset, index) => index % 2 === 0 && code[offset] === opcodes.memoryGrow),
  )

/** Returns the stack cost of each function: its locals without parameters, and its maximum number of stack values. */
const stackCosts = ({ bodies }: SourceModule): number[] =>
  bodies.map(({ locals, stackHeight }) => locals.reduce((sum, { count }) => sum + count, stackHeight ?? 0))

const NO_LOCALS = 0

/** Stack cost of the replacement of `memory.grow`. */
const GROW_COUNTER_HEIGHT = 3

/** Creates the replacement of `memory.grow`. It charges for the pages first. */
function createGrowCounter(type: number, pageCost: number, gasFunction: number): InstrumentedFunction {
  const { localGet, i32Const, i32Mul, memoryGrow, end } = opcodes
  const charge = createWasmWriter()
    .bytes([localGet, 0, localGet, 0, i32Const])
    .i32(pageCost)
    .u8(i32Mul)
    .written()
  return {
    type,
    references: () => ({ functions: [gasFunction], types: [], globals: [] }),
    write(writer, _, encodeCall) {
      writer.u32(NO_LOCALS).bytes(charge).bytes(encodeCall(gasFunction)).bytes([memoryGrow, 0, end])
    },
  }
}
