import { encodeClType } from './clType.ts'
import type { ClValue } from './clValue.ts'

/** Named arguments in the order they are sent; null leaves one out, which is Odra's `Maybe::None`. */
export type Arguments = Readonly<Record<string, ClValue | null>>

/** The arguments that are sent. */
export function presentArguments(args: Arguments): [string, ClValue][] {
  return Object.entries(args).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}

// One byte says that they are named, four how many; four stand before each name and each value.
const HEAD_BYTES = 5
const LENGTHS_BYTES = 8

/** How many bytes the arguments take in a transaction: what decides on its lane. */
export function countArgumentBytes(args: Arguments): number {
  return presentArguments(args).reduce(
    (sum, [name, { bytes, clType }]) =>
      sum + LENGTHS_BYTES + name.length + bytes.length + encodeClType(clType).length,
    HEAD_BYTES,
  )
}
