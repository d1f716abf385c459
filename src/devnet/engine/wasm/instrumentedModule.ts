import type { FunctionType, WasmModule } from './wasmModule.ts'
import type { WasmWriter } from './wasmWriter.ts'

/** Maps indices when some functions, types and globals are left out. */
export interface Numbering {
  readonly functions: (index: number) => number
  readonly types: (index: number) => number
  readonly globals: (index: number) => number
}

/** Indices that a function refers to. */
export interface References {
  readonly functions: Iterable<number>
  readonly types: Iterable<number>
  readonly globals: Iterable<number>
}

/** Encodes a call to a function, including the instructions of the stack limiter. */
export type EncodeCall = (callee: number) => Uint8Array

/** A function that can be written with other indices. */
export interface InstrumentedFunction {
  /** Type index. */
  readonly type: number
  references(): References
  /** Writes its locals and its code. */
  write(writer: WasmWriter, numbering: Numbering, encodeCall: EncodeCall): void
}

/** A module as a node runs it, with gas metering and stack limit. */
export interface InstrumentedModule extends Omit<WasmModule, 'functions' | 'bodies'> {
  /** Defined functions. */
  readonly functions: readonly InstrumentedFunction[]
  readonly stack: StackLimit
}

/** The stack limit of a module. */
export interface StackLimit {
  /** Stack cost of every function, imported or defined. */
  readonly costs: readonly number[]
  /** Index of the global with the stack height. */
  readonly heightGlobal: number
  /** Maximum stack height. */
  readonly limit: number
}

/** Returns the index of a type, which is added if missing. */
export function findType(types: FunctionType[], wanted: FunctionType): number {
  const index = types.findIndex(
    ({ params, results }) => isSame(params, wanted.params) && isSame(results, wanted.results),
  )
  return index === -1 ? types.push(wanted) - 1 : index
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((type, index) => type === b[index])
