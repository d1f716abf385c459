import type { ClType } from '@wattfeed/casper/types'

/** Formats a type like the errors of a node, which print Rust's debug format: `Option(U64)`. */
export function nameOfType(type: ClType): string {
  if (typeof type === 'string') return type
  if ('Option' in type) return `Option(${nameOfType(type.Option)})`
  if ('List' in type) return `List(${nameOfType(type.List)})`
  if ('ByteArray' in type) return `ByteArray(${type.ByteArray})`
  if ('Result' in type)
    return `Result { ok: ${nameOfType(type.Result.ok)}, err: ${nameOfType(type.Result.err)} }`
  if ('Map' in type) return `Map { key: ${nameOfType(type.Map.key)}, value: ${nameOfType(type.Map.value)} }`
  const [[name = '', items = []] = []] = Object.entries<readonly ClType[]>(type)
  return `${name}([${items.map(nameOfType).join(', ')}])`
}
