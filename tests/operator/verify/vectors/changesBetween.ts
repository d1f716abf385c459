import { isDeepStrictEqual } from 'node:util'
import type { Change, Path } from './applyChanges.ts'

/** Returns the changes that make another document of one. */
export function changesBetween(from: unknown, to: unknown, path: Path = []): Change[] {
  if (isDeepStrictEqual(from, to)) return []
  if (!isContainer(from) || !isContainer(to) || Array.isArray(from) !== Array.isArray(to))
    return [{ path, value: to }]
  // Whoever removes items of a list moves those after them.
  if (Array.isArray(from) && Object.keys(from).length !== Object.keys(to).length) return [{ path, value: to }]
  const removed = Object.keys(from).filter((name) => !Object.hasOwn(to, name))
  return [
    ...removed.map((name): Change => ({ path: [...path, name], remove: true })),
    ...Object.entries(to).flatMap(([name, value]) =>
      changesBetween(from[name], value, [...path, Array.isArray(to) ? Number(name) : name]),
    ),
  ]
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
