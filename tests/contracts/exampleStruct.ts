import { string } from '@wattfeed/testing/bytesrepr'

/** A field of a struct in Rust. */
export type RustField = [name: string, type: string]

/** Example values of Rust's types, as `bytesrepr` in hex and in decoded form. */
const examples: Record<string, (place: number) => [hex: string, decoded: unknown]> = {
  u8: (place) => [hexOf(place), place],
  u64: (place) => [`${hexOf(place)}00000000000000`, place],
  U512: (place) => [`01${hexOf(place)}`, BigInt(place)],
  String: (place) => [string(`text ${place}`), `text ${place}`],
  Address: (place) => [`00${hexOf(place).repeat(32)}`, `account-hash-${hexOf(place).repeat(32)}`],
}

const hexOf = (byte: number) => byte.toString(16).padStart(2, '0')

/** A struct with a different value in every field: its bytes in hex, and its fields by name. */
export function exampleOf(fields: RustField[]): { hex: string; values: Record<string, unknown> } {
  const encoded = fields.map(([name, type], index) => {
    const example = examples[type]
    if (example === undefined) throw new Error(`no example of ${type}`)
    return [name, ...example(index + 1)] as const
  })
  return {
    hex: encoded.map(([, hex]) => hex).join(''),
    values: Object.fromEntries(encoded.map(([name, , value]) => [name, value])),
  }
}
