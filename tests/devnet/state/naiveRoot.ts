import { blake2b, list } from '../../support/bytesrepr.ts'

/** The state root of some contents (hex by hex), worked out as simply as the trie is described. */
export function naiveRoot(contents: ReadonlyMap<string, string>): string {
  return blake2b(branch([...contents.keys()].sort(), contents, 0))
}

/** A branch over keys that agree in the hex digits before `depth`. */
function branch(keys: readonly string[], contents: ReadonlyMap<string, string>, depth: number): string {
  const pointers = Array.from({ length: 256 }, (_, byte) => {
    const prefix = byte.toString(16).padStart(2, '0')
    const below = keys.filter((key) => key.startsWith(prefix, depth))
    return below.length === 0 ? '00' : `01${pointer(below, contents, depth + 2)}`
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
