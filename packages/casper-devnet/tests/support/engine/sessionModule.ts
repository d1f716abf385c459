import { encodeModule } from '../../../src/engine/wasm/encodeModule.ts'
import { type FunctionType, type Limits, valueTypes } from '../../../src/engine/wasm/wasmModule.ts'
import { createWasmWriter } from '../../../src/engine/wasm/wasmWriter.ts'

/** A small module for one test. */
export interface SessionModule {
  /** Its imports from `env`, each with its number of parameters and results; they are functions 0, 1, … */
  readonly imports?: readonly (readonly [name: string, parameters: number, results: number])[]
  /** Instructions of `call`, without the `end`. */
  readonly code: readonly number[]
  /** Number of its locals of type `i32`. */
  readonly locals?: number
  /** Instructions of more functions without parameters and results, each with its `end`; they follow `call`. */
  readonly functions?: readonly (readonly number[])[]
  /** Export names of the first of those functions. */
  readonly exported?: readonly string[]
  readonly memories?: readonly Limits[]
  readonly tables?: readonly Limits[]
  /** Functions in the table, from 0 on. */
  readonly elements?: readonly number[]
  readonly start?: number
  /** The bytes in memory from address 0 on. */
  readonly data?: Uint8Array
}

const { i32 } = valueTypes

/** Returns the module's bytes. */
export function encodeSession(session: SessionModule): Uint8Array {
  const { imports = [], code, locals = 0, functions = [], exported = [] } = session
  const { elements = [], start = null, data } = session
  const types: FunctionType[] = imports.map(([, parameters, results]) => ({
    params: Array(parameters).fill(i32),
    results: Array(results).fill(i32),
  }))
  const plain = types.push({ params: [], results: [] }) - 1
  const bodies = [[...code, 0x0b], ...functions].map((body, index) => ({
    body,
    locals: index === 0 ? locals : 0,
  }))
  return encodeModule({
    types,
    imports: imports.map(([field], type) => ({ module: 'env', field, kind: 'function', type })),
    functions: bodies.map(() => plain),
    tables: session.tables ?? [],
    memories: session.memories ?? [{ initial: 1, maximum: null }],
    globals: null,
    exports: ['call', ...exported].map((field, place) => ({ field, kind: 0, index: imports.length + place })),
    start,
    elements: elements.length === 0 ? [] : [{ table: 0, offset: zero, functions: elements }],
    bodies: bodies.map(({ body, locals: count }) => (writer) => {
      writer.u32(count === 0 ? 0 : 1)
      if (count > 0) writer.u32(count).u8(i32)
      writer.bytes(body)
    }),
    data: data === undefined ? [] : [{ memory: 0, offset: zero, bytes: data }],
  })
}

const zero = Uint8Array.of(0x41, 0, 0x0b)

/** Returns a function call with constant arguments. */
export const callWith = (index: number, ...args: readonly number[]): number[] => [
  ...args.flatMap(i32Const),
  0x10,
  ...createWasmWriter().u32(index).written(),
]

/** Returns `i32.const` with a number. */
export const i32Const = (value: number): number[] => [0x41, ...createWasmWriter().i32(value).written()]
