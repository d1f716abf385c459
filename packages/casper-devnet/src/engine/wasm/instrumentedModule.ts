import type { FunctionType, WasmModule } from './wasmModule.ts'
import type { WasmWriter } from './wasmWriter.ts'

/** Maps indices after some functions, types and globals were removed. */
export interface Numbering {
  readonly functions: (index: number) => number
  readonly types: (index: number) => number
  readonly globals: (index: number) => number
}

export interface References {
  readonly functions: Iterable<number>
  readonly types: Iterable<number>
  readonly globals: Iterable<number>
}

/** Encodes a call of a function with the instructions of the stack limiter. */
export type EncodeCall = (callee: number) => Uint8Array

/** A function that can be written with mapped indices. */
export interface InstrumentedFunction {
  readonly type: number
  references(): References
  /** Writes the locals and the code. */
  write(writer: WasmWriter, numbering: Numbering, encodeCall: EncodeCall): void
}

/** A module in the form that a node runs: with gas metering and a stack limit. */
export interface InstrumentedModule extends Omit<WasmModule, 'functions' | 'bodies'> {
  readonly functions: readonly InstrumentedFunction[]
  readonly stack: StackLimit
}

export interface StackLimit {
  /** Stack cost of every function, imported or defined. */
  readonly costs: readonly number[]
  /** Index of the global with the stack height. */
  readonly heightGlobal: number
  readonly limit: number
}

/** Adds a type unless it is there, and returns its index. */
export function addType(types: FunctionType[], wanted: FunctionType): number {
  const index = types.findIndex(
    ({ params, results }) => isSame(params, wanted.params) && isSame(results, wanted.results),
  )
  return index === -1 ? types.push(wanted) - 1 : index
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((type, index) => type === b[index])
