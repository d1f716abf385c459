import type { FunctionType, WasmModule } from './wasmModule.ts'
import type { WasmWriter } from './wasmWriter.ts'

/** Where functions, types and globals have moved to when some of a module are left out. */
export interface Numbering {
  readonly functions: (index: number) => number
  readonly types: (index: number) => number
  readonly globals: (index: number) => number
}

/** What a function names. */
export interface References {
  readonly functions: Iterable<number>
  readonly types: Iterable<number>
  readonly globals: Iterable<number>
}

/** A call to a function, of which the stack limiter makes several instructions. */
export type EncodeCall = (callee: number) => Uint8Array

/** A function that can be written into a module with all others, or with some of them left out. */
export interface InstrumentedFunction {
  /** Its type's index. */
  readonly type: number
  references(): References
  /** Writes its locals and its code. */
  write(writer: WasmWriter, numbering: Numbering, encodeCall: EncodeCall): void
}

/** A module as a node runs it: it pays for its instructions, and counts its stack. */
export interface InstrumentedModule extends Omit<WasmModule, 'functions' | 'bodies'> {
  /** Those that it defines. */
  readonly functions: readonly InstrumentedFunction[]
  readonly stack: StackLimit
}

/** How a module counts its stack. */
export interface StackLimit {
  /** How much room each function needs, imported or defined. */
  readonly costs: readonly number[]
  /** The index of the global that holds the height of the stack. */
  readonly heightGlobal: number
  /** How high the stack may grow. */
  readonly limit: number
}

/** The index of a type in a list that it is added to where it is not there. */
export function findType(types: FunctionType[], wanted: FunctionType): number {
  const index = types.findIndex(
    ({ params, results }) => isSame(params, wanted.params) && isSame(results, wanted.results),
  )
  return index === -1 ? types.push(wanted) - 1 : index
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((type, index) => type === b[index])
