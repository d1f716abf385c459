import { changed, leavesOf, type Path, without, withValue } from 'wattfeed/testing/jsonLeaves'

/** A replacement for a value, and the name of the change. */
type Change = readonly [what: string, change: (value: unknown, random: () => number) => unknown]

const changes: readonly Change[] = [
  ['nearly', changed],
  ['null', () => null],
  ['list', (value) => [value]],
  ['object', () => ({})],
  ['empty', () => ''],
  ['number', (_, random) => [0, -1, 2 ** 53, 1e308, 0.5][Math.floor(random() * 5)]],
  ['true', () => true],
  ['cut', (value, random) => String(value).slice(0, Math.floor(random() * String(value).length))],
  ['twice', (value) => `${value}${value}`],
  ['flip', flip],
  ['swap', swap],
  ['long', () => 'ab'.repeat(50_000)],
  ['deep', () => deep(2_000)],
]

/** Changes one hex digit. */
function flip(value: unknown, random: () => number): unknown {
  const text = String(value)
  const at = Math.floor(random() * text.length)
  const digit = (Number.parseInt(text[at] ?? '', 16) ^ (1 + Math.floor(random() * 15))).toString(16)
  return text.slice(0, at) + (/[0-9a-f]/.test(text[at] ?? '') ? digit : 'a') + text.slice(at + 1)
}

/** Swaps two parts of a text. */
function swap(value: unknown, random: () => number): unknown {
  const text = String(value)
  const at = Math.floor(random() * text.length)
  return text.slice(at) + text.slice(0, at)
}

/** Nested lists. */
export function deep(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

/** Changes one randomly chosen place of a JSON value. Returns a copy. */
export function mutateJson(json: unknown, random: () => number): unknown {
  const leaves = leavesOf(json)
  const [path, value] = leaves[Math.floor(random() * leaves.length)] ?? [[], null]
  if (path.length === 0) return null
  const place: Path = random() < 0.25 ? path.slice(0, 1 + Math.floor(random() * path.length)) : path
  if (random() < 0.1) return without(json, place)
  const [, change] = changes[Math.floor(random() * changes.length)] ?? changes[0] ?? ['', () => null]
  return withValue(json, place, change(value, random))
}
