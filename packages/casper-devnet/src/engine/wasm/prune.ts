import { encodeInstrumented } from './encodeInstrumented.ts'
import { listEntries, mapEntries } from './entries.ts'
import type { InstrumentedModule, Numbering } from './instrumentedModule.ts'
import { countImportedFunctions, externalKinds } from './wasmModule.ts'

/** The indices to keep. */
interface Kept {
  readonly types: Set<number>
  /** Imported and defined. */
  readonly functions: Set<number>
  readonly globals: Set<number>
}

/**
 * Encodes a module reduced to the parts that some of its exports need, like a node stores it for a contract. No globals are
 * imported, because a node rejects such modules.
 */
export function prune(module: InstrumentedModule, usedExports: ReadonlySet<string>): Uint8Array {
  const exports = module.exports.filter(({ field }) => usedExports.has(field))
  const kept = findKept({ ...module, exports })
  const imported = countImportedFunctions(module)
  const numbering = {
    types: createNumbering(kept.types, module.types.length),
    functions: createNumbering(kept.functions, imported + module.functions.length),
    globals: createNumbering(kept.globals, module.globals?.length ?? 0),
  }
  let importedFunction = 0
  const imports = module.imports.filter(
    ({ kind }) => kind !== 'function' || kept.functions.has(importedFunction++),
  )
  const entries = mapEntries({ ...module, exports }, numbering.functions)
  const pruned = {
    ...module,
    ...entries,
    types: module.types.filter((_, index) => kept.types.has(index)),
    imports: imports.map((each) =>
      each.kind === 'function' ? { ...each, type: numbering.types(each.type) } : each,
    ),
    functions: module.functions.filter((_, index) => kept.functions.has(imported + index)),
    globals: module.globals?.filter((_, index) => kept.globals.has(index)) ?? null,
    exports: entries.exports.map((each) =>
      each.kind === externalKinds.global ? { ...each, index: numbering.globals(each.index) } : each,
    ),
  }
  return encodeInstrumented(pruned, numbering)
}

/** Returns all indices that are reachable from the exports, the start and the table. */
function findKept(module: InstrumentedModule): Kept {
  const importTypes = module.imports.flatMap((each) => (each.kind === 'function' ? [each.type] : []))
  const kept: Kept = { types: new Set(), functions: new Set(listEntries(module)), globals: new Set() }
  for (const { kind, index } of module.exports) if (kind === externalKinds.global) kept.globals.add(index)
  // The iteration includes functions that are added to the set during the loop.
  for (const index of kept.functions) {
    const defined = module.functions[index - importTypes.length]
    const type = defined?.type ?? importTypes[index]
    if (type !== undefined) kept.types.add(type)
    const named = defined?.references()
    for (const each of named?.functions ?? []) kept.functions.add(each)
    for (const each of named?.types ?? []) kept.types.add(each)
    for (const each of named?.globals ?? []) kept.globals.add(each)
  }
  return kept
}

/** Returns a function that maps old indices to the indices after the removal. */
function createNumbering(kept: ReadonlySet<number>, count: number): Numbering['types'] {
  const moved = new Uint32Array(count)
  for (let index = 0, next = 0; index < count; index++) {
    moved[index] = next
    if (kept.has(index)) next += 1
  }
  return (index) => moved[index] ?? index
}
