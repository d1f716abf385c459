export type Path = readonly (string | number)[]

/** Every value in a JSON document that is not a list or an object, with its path; empty ones count as values. */
export function leavesOf(value: unknown, path: Path = []): [Path, unknown][] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0) return [[path, value]]
  const step = (name: string): string | number => (Array.isArray(value) ? Number(name) : name)
  return entries.flatMap(([name, item]) => leavesOf(item, [...path, step(name)]))
}

/** Copies a JSON document with another value at a path. */
export function withValue<T>(json: T, path: Path, value: unknown): T {
  const copy = structuredClone(json)
  parentOf(copy, path)[path.at(-1) ?? ''] = value
  return copy
}

/** Copies a JSON document without the value at a path. */
export function without<T>(json: T, path: Path): T {
  const copy = structuredClone(json)
  const parent = parentOf(copy, path)
  if (Array.isArray(parent)) parent.splice(Number(path.at(-1)), 1)
  else delete parent[path.at(-1) ?? '']
  return copy
}

/** Returns the value at a path. */
export const valueAt = (json: unknown, path: Path): unknown =>
  path.reduce((value: unknown, name) => Object(value)[name], json)

function parentOf(json: unknown, path: Path): Record<string | number, unknown> {
  return Object(valueAt(json, path.slice(0, -1)))
}

/** Returns another value of the same kind, as similar as possible. */
export function changed(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (typeof value !== 'string') return 'something'
  if (/^\d{4}-.*Z$/.test(value)) return new Date(Date.parse(value) + 1).toISOString()
  if (/^\d+$/.test(value) && value.length < 60) return String(BigInt(value) + 1n)
  const middle = Math.floor(value.length / 2)
  return value.slice(0, middle) + (value[middle] === '1' ? '2' : '1') + value.slice(middle + 1)
}
