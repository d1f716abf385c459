export type Path = readonly (string | number)[]

/** A change of a JSON document, as in `fixtures/verify/lies.jsonl`. */
export type Change =
  | { readonly path: Path; readonly value: unknown }
  | { readonly path: Path; readonly remove: true }
  /** Copies a value of an unchanged document. */
  | { readonly path: Path; readonly from: { readonly document: string; readonly path: Path } }
  /** Replaces a list by its items at these indices. */
  | { readonly path: Path; readonly order: readonly number[] }

const valueAt = (json: unknown, path: Path): unknown =>
  path.reduce((value: unknown, name) => Object(value)[name], json)

/** Returns a changed copy of a document. `find` returns the documents by their name. */
export function applyChanges(
  document: unknown,
  changes: readonly Change[],
  find: (name: string) => unknown,
): unknown {
  const copy = structuredClone(document)
  for (const change of changes) {
    const parent = Object(valueAt(copy, change.path.slice(0, -1)))
    const name = change.path.at(-1) ?? ''
    if ('remove' in change) {
      if (Array.isArray(parent)) parent.splice(Number(name), 1)
      else delete parent[name]
    } else parent[name] = structuredClone(newValue(change, parent[name], find))
  }
  return copy
}

function newValue(
  change: Exclude<Change, { remove: true }>,
  current: unknown,
  find: (name: string) => unknown,
): unknown {
  if ('from' in change) return valueAt(find(change.from.document), change.from.path)
  if ('order' in change) return change.order.map((index) => structuredClone(Object(current)[index]))
  return change.value
}
