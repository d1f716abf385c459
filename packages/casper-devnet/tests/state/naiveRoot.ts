import { blake2b, list } from '@wattfeed/testing/bytesrepr'

/** Computes the state root of some contents (hex by hex) directly by the trie's definition. */
export function naiveRoot(contents: ReadonlyMap<string, string>): string {
  return blake2b(branch([...contents.keys()].sort(), contents, 0))
}

/** Returns a branch over keys that share their hex digits before `depth`. */
function branch(keys: readonly string[], contents: ReadonlyMap<string, string>, depth: number): string {
  const slots = Map.groupBy(keys, (key) => Number.parseInt(key.slice(depth, depth + 2), 16))
  const pointers = Array.from({ length: 256 }, (_, byte) => {
    const below = slots.get(byte)
    return below === undefined ? '00' : `01${pointer(below, contents, depth + 2)}`
  })
  return `01${pointers.join('')}`
}

function pointer(keys: readonly string[], contents: ReadonlyMap<string, string>, depth: number): string {
  const [first = ''] = keys
  if (keys.length === 1) return `00${blake2b(`00${first}${contents.get(first)}`)}`
  let end = depth
  while (keys.every((key) => key.startsWith(first.slice(0, end + 2)))) end += 2
  const node = `01${blake2b(branch(keys, contents, end))}`
  return end === depth ? node : `01${blake2b(`02${list(first.slice(depth, end))}${node}`)}`
}
