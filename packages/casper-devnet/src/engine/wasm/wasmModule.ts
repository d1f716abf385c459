/** A value type: `i32`, `i64`, or a float type in modules that the node rejects. */
export type ValueType = number

export const valueTypes = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, funcref: 0x70 } as const

export interface FunctionType {
  readonly params: readonly ValueType[]
  readonly results: readonly ValueType[]
}

export interface Limits {
  readonly initial: number
  readonly maximum: number | null
}

export const externalKinds = { function: 0, table: 1, memory: 2, global: 3 } as const

export interface GlobalType {
  readonly valueType: ValueType
  readonly isMutable: boolean
}

export type Import = { readonly module: string; readonly field: string } & (
  | { readonly kind: 'function'; readonly type: number }
  | { readonly kind: 'table'; readonly limits: Limits }
  | { readonly kind: 'memory'; readonly limits: Limits }
  | { readonly kind: 'global'; readonly type: GlobalType }
)

export interface Export {
  readonly field: string
  /** One of {@link externalKinds}. */
  readonly kind: number
  readonly index: number
}

/** Instructions with minimal integers, up to and including the closing `end`. */
export type Code = Uint8Array

export interface Global {
  readonly type: GlobalType
  readonly init: Code
}

export interface FunctionBody {
  readonly locals: readonly { readonly count: number; readonly type: ValueType }[]
  readonly code: Code
}

export interface ElementSegment {
  readonly table: number
  readonly offset: Code
  readonly functions: readonly number[]
}

export interface DataSegment {
  readonly memory: number
  readonly offset: Code
  readonly bytes: Uint8Array
}

export const sectionIds = {
  types: 1,
  imports: 2,
  functions: 3,
  tables: 4,
  memories: 5,
  globals: 6,
  exports: 7,
  start: 8,
  elements: 9,
  bodies: 10,
  data: 11,
} as const

/** The form of every type of WebAssembly 1. */
export const FUNCTION_FORM = 0x60

/**
 * A module by sections. A missing section is equivalent to an empty one, except for the globals: the node stores an empty
 * section after it has removed the last global.
 */
export interface WasmModule<Body = FunctionBody> {
  readonly types: readonly FunctionType[]
  readonly imports: readonly Import[]
  /** Type index of each defined function. */
  readonly functions: readonly number[]
  readonly tables: readonly Limits[]
  readonly memories: readonly Limits[]
  readonly globals: readonly Global[] | null
  readonly exports: readonly Export[]
  readonly start: number | null
  readonly elements: readonly ElementSegment[]
  readonly bodies: readonly Body[]
  readonly data: readonly DataSegment[]
}

/** Returns the number of imported functions. Their indices precede those of defined functions. */
export function countImportedFunctions({ imports }: Pick<WasmModule, 'imports'>): number {
  return imports.reduce((count, { kind }) => count + (kind === 'function' ? 1 : 0), 0)
}

/** Returns the type index of every function, imported or defined. */
export function functionTypes({ imports, functions }: Pick<WasmModule, 'imports' | 'functions'>): number[] {
  const imported = imports.flatMap((each) => (each.kind === 'function' ? [each.type] : []))
  return [...imported, ...functions]
}
