export type Path = readonly (string | number)[]

/** Every value in some JSON that is no list and no object, with the way to it; empty ones count as values. */
export function leavesOf(value: unknown, path: Path = []): [Path, unknown][] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0) return [[path, value]]
  const step = (name: string): string | number => (Array.isArray(value) ? Number(name) : name)
  return entries.flatMap(([name, item]) => leavesOf(item, [...path, step(name)]))
}

/** A copy of some JSON with another value at a place. */
export function withValue<T>(json: T, path: Path, value: unknown): T {
  const copy = structuredClone(json)
  parentOf(copy, path)[path.at(-1) ?? ''] = value
  return copy
}

/** A copy of some JSON without what is at a place. */
export function without<T>(json: T, path: Path): T {
  const copy = structuredClone(json)
  const parent = parentOf(copy, path)
  if (Array.isArray(parent)) parent.splice(Number(path.at(-1)), 1)
  else delete parent[path.at(-1) ?? '']
  return copy
}

/** What is at a place. */
export const valueAt = (json: unknown, path: Path): unknown =>
  path.reduce((value: unknown, name) => Object(value)[name], json)

function parentOf(json: unknown, path: Path): Record<string | number, unknown> {
  return Object(valueAt(json, path.slice(0, -1)))
}

/** Another value of the same kind, as near as it gets. */
export function changed(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (typeof value !== 'string') return 'something'
  if (/^\d{4}-.*Z$/.test(value)) return new Date(Date.parse(value) + 1).toISOString()
  if (/^\d+$/.test(value) && value.length < 60) return String(BigInt(value) + 1n)
  const middle = Math.floor(value.length / 2)
  return value.slice(0, middle) + (value[middle] === '1' ? '2' : '1') + value.slice(middle + 1)
}
