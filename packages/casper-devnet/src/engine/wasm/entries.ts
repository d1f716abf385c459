import { externalKinds, type WasmModule } from './wasmModule.ts'

/** The references to functions outside the code. */
type Entries = Pick<WasmModule, 'exports' | 'elements' | 'start'>

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
