import type { Chainspec } from '../../chainspec.ts'
import { decodeModule, type SourceModule } from './decodeModule.ts'
import { ensureLimits } from './ensureLimits.ts'
import { findType, type InstrumentedFunction, type InstrumentedModule } from './instrumentedModule.ts'
import { createMeteredFunction, shiftFunction } from './meteredFunction.ts'
import { createOpcodeCosts } from './opcodeCosts.ts'
import { opcodes } from './opcodes.ts'
import { addThunks, mapEntries } from './thunks.ts'
import {
  countImportedFunctions,
  type FunctionType,
  type Global,
  type Import,
  valueTypes,
} from './wasmModule.ts'
import { createWasmWriter } from './wasmWriter.ts'

/**
 * Prepares a module as a node does before it runs it: checks it, makes its memory an import, charges gas before
 * everything that is paid for together, and counts the height of the stack.
 *
 * What is installed is stored in this form, so every byte of it is paid for: it is the node's, to the byte. (A node
 * keeps the names of functions where a module has them; here they are left out.)
 *
 * Throws a `PreprocessingError` in the node's words.
 *
 * @example
 * ```ts
 * const module = preprocess(wasm, chainspec)
 * ```
 */
export function preprocess(wasm: Uint8Array, { wasm: { v1 } }: Chainspec): InstrumentedModule {
  const source = ensureLimits(decodeModule(wasm, createOpcodeCosts(v1.opcode_costs)))
  const types = [...source.types]
  const gasType = findType(types, { params: [valueTypes.i32], results: [] })
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
    ? [createGrowCounter(findGrowType(types), v1.opcode_costs.grow_memory, gasFunction)]
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

const findGrowType = (types: FunctionType[]): number =>
  findType(types, { params: [valueTypes.i32], results: [valueTypes.i32] })

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

/** The room on the stack that each function needs: its locals, parameters aside, and its values. */
const stackCosts = ({ bodies }: SourceModule): number[] =>
  bodies.map(({ locals, stackHeight }) => locals.reduce((sum, { count }) => sum + count, stackHeight ?? 0))

const NO_LOCALS = 0

/** The room that it needs on the stack. */
const GROW_COUNTER_HEIGHT = 3

/** A function in the place of `memory.grow` that charges for the pages first. */
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
