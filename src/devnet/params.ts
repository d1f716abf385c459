import { DecodeError } from '../bytes/cursor.ts'
import { decodeHex } from '../bytes/hex.ts'
import { isRecord } from '../casper/types/isRecord.ts'
import { WattfeedError } from '../errors.ts'

/** Parameters that a node would not read. Its words for it are the answer's `data`. */
export class InvalidParamsError extends WattfeedError {
  static override readonly name = 'InvalidParamsError'
  readonly code = 'invalid_params'
  readonly retryable = false

  constructor(
    /** What is wrong with them. */
    readonly rule: string,
  ) {
    super(`Failed to parse 'params' field: ${rule}`)
  }
}

/** The value of a JSON object's field. Throws an {@link InvalidParamsError} where it is not there. */
export function requiredField(value: unknown, name: string): unknown {
  const field = recordOf(value)[name]
  if (field === undefined) throw new InvalidParamsError(`missing field \`${name}\``)
  return field
}

/** A JSON object. Throws an {@link InvalidParamsError}. */
export function recordOf(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value
  throw new InvalidParamsError(`invalid type: ${describe(value)}, expected a map`)
}

/** A JSON array. Throws an {@link InvalidParamsError}. */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new InvalidParamsError(`invalid type: ${describe(value)}, expected a sequence`)
}

/** A JSON string. Throws an {@link InvalidParamsError}. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw new InvalidParamsError(`invalid type: ${describe(value)}, expected a string`)
}

/** A JSON boolean. Throws an {@link InvalidParamsError}. */
export function booleanOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new InvalidParamsError(`invalid type: ${describe(value)}, expected a boolean`)
}

/** A whole number from 0 to `most`. Throws an {@link InvalidParamsError}. */
export function uintOf(value: unknown, most: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most) return value
  throw new InvalidParamsError(`invalid value: ${describe(value)}, expected an unsigned integer`)
}

/** Bytes from hex, of a length where one is given. Throws an {@link InvalidParamsError}. */
export function bytesOf(value: unknown, length?: number): Uint8Array {
  const bytes = parseHex(textOf(value))
  if (length === undefined || bytes.length === length) return bytes
  throw new InvalidParamsError(`invalid length: expected ${length} bytes, got ${bytes.length}`)
}

/** Hex of 32 bytes in lower case. Throws an {@link InvalidParamsError}. */
export function hashOf(value: unknown): string {
  bytesOf(value, 32)
  return textOf(value).toLowerCase()
}

function parseHex(text: string): Uint8Array {
  try {
    return decodeHex(text, 'params')
  } catch (error) {
    if (error instanceof DecodeError) throw new InvalidParamsError(`failed to decode hex: ${error.rule}`)
    throw error
  }
}

/**
 * Name and content of an enum as JSON holds it: `"Name"` or `{ "Name": content }`.
 *
 * Throws an {@link InvalidParamsError} where the name is none of `names`.
 */
export function variantOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
): { name: Name; content: unknown } {
  const [given = '', content = null] =
    typeof value === 'string' ? [value] : (Object.entries(recordOf(value))[0] ?? [])
  const name = names.find((each) => each === given)
  if (name !== undefined) return { name, content }
  throw new InvalidParamsError(`unknown variant \`${given}\`, expected ${oneOf(names)}`)
}

function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  return quoted.length > 2 ? `one of ${quoted.join(', ')}` : quoted.join(' or ')
}

/** A JSON value as a node's messages name it. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return `string ${JSON.stringify(value.slice(0, 100))}`
  if (typeof value === 'number')
    return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``
  if (typeof value === 'boolean') return `boolean \`${value}\``
  return Array.isArray(value) ? 'sequence' : 'map'
}
