import { defineError } from '@wattfeed/base'
import { isRecord } from '@wattfeed/casper/types'

/**
 * Parameters that a node rejects, thrown by the functions here that read a value. The message is the node's: the `data` of its error.
 */
export const InvalidParamsError = defineError(
  'InvalidParamsError',
  'invalid_params',
  (facts: { rule: string }) => `Failed to parse 'params' field: ${facts.rule}`,
)

/** Returns whether a call has no parameters in any of the forms that a node accepts. */
export function hasNoParams(params: unknown): boolean {
  return params === undefined || params === null || Object.keys(Object(params)).length === 0
}

export function requiredField(value: unknown, name: string): unknown {
  const field = recordOf(value)[name]
  if (field === undefined) throw new InvalidParamsError({ rule: `missing field \`${name}\`` })
  return field
}

export function recordOf(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value
  throw new InvalidParamsError({ rule: `invalid type: ${describe(value)}, expected a map` })
}

export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new InvalidParamsError({ rule: `invalid type: ${describe(value)}, expected a sequence` })
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw new InvalidParamsError({ rule: `invalid type: ${describe(value)}, expected a string` })
}

export function booleanOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new InvalidParamsError({ rule: `invalid type: ${describe(value)}, expected a boolean` })
}

export function uintOf(value: unknown, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max) return value
  const fault = Number.isInteger(value) ? 'invalid value' : 'invalid type'
  throw new InvalidParamsError({ rule: `${fault}: ${describe(value)}, expected ${uintName(max)}` })
}

function uintName(max: number): string {
  if (max <= 0xff) return 'u8'
  return max <= 0xffff_ffff ? 'u32' : 'u64'
}

/** @param context prefix of the node's message: `decoding from hex: ` */
export function bytesOf(value: unknown, context = ''): Uint8Array {
  const text = textOf(value)
  try {
    return Uint8Array.fromHex(text)
  } catch {
    // Search for the fault only after decoding failed: on long wasm a search takes longer than decoding.
    throw new InvalidParamsError({ rule: `${context}${hexFault(text)}` })
  }
}

/** Returns the node's message for text that is not hex, or null. */
export function hexFault(text: string): string | null {
  if (text.length % 2 === 1) return `Base16 data cannot have length ${text.length} (must be even)`
  const index = text.search(/[^0-9a-f]/i)
  return index < 0 ? null : `Invalid byte \`b'${text[index]}'\`, at index ${index}.`
}

/** Returns the node's message for text that is not a hash, or null. */
export function hashFault(text: string): string | null {
  return hexFault(text) ?? (text.length === 64 ? null : 'could not convert slice to array')
}

/** Returns a hash of 64 hex digits, in lower case. */
export function hashOf(value: unknown): string {
  const text = textOf(value)
  const fault = hashFault(text)
  if (fault === null) return text.toLowerCase()
  throw new InvalidParamsError({ rule: fault })
}

/** Returns the name and content of an enum in JSON: `"Name"` or `{ "Name": content }`. */
export function variantOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
): { name: Name; content: unknown } {
  const [given, content] = typeof value === 'string' ? [value, null] : onlyEntryOf(value)
  const name = names.find((each) => each === given)
  if (name !== undefined) return { name, content }
  throw new InvalidParamsError({ rule: `unknown variant \`${given}\`, expected ${oneOf(names)}` })
}

function onlyEntryOf(value: unknown): [string, unknown] {
  if (!isRecord(value))
    throw new InvalidParamsError({ rule: `invalid type: ${describe(value)}, expected string or map` })
  const [entry, ...others] = Object.entries(value)
  if (entry !== undefined && others.length === 0) return entry
  throw new InvalidParamsError({ rule: 'invalid value: map, expected map with a single key' })
}

/**
 * Returns the parameters of a call by name. A list of parameters is in the order of `names`.
 *
 * @param aliases other names that a node accepts
 */
export function namedParams(
  params: unknown,
  names: readonly string[],
  aliases: readonly string[] = [],
): Record<string, unknown> {
  if (Array.isArray(params)) {
    if (params.length > names.length)
      throw new InvalidParamsError({
        rule: `invalid length ${params.length}, expected fewer elements in array`,
      })
    return Object.fromEntries(params.map((each, index) => [names[index], each]))
  }
  const record = recordOf(params)
  const unknown = Object.keys(record).find((each) => !names.includes(each) && !aliases.includes(each))
  if (unknown === undefined) return record
  throw new InvalidParamsError({ rule: `unknown field \`${unknown}\`, expected ${oneOf(names)}` })
}

function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  return quoted.length > 2 ? `one of ${quoted.join(', ')}` : quoted.join(' or ')
}

/** Describes a JSON value in the words of a node's messages. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return `string ${JSON.stringify(value.slice(0, 100))}`
  if (typeof value === 'number')
    return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``
  if (typeof value === 'boolean') return `boolean \`${value}\``
  return Array.isArray(value) ? 'sequence' : 'map'
}
