import { DecodeError } from '../bytes/cursor.ts'
import { decodeHex } from '../bytes/hex.ts'
import { isRecord } from '../casper/types/isRecord.ts'
import { WattfeedError } from '../errors.ts'

/** Parameters that a node refuses; its message is the answer's `data`. */
export class InvalidParamsError extends WattfeedError {
  static override readonly name = 'InvalidParamsError'
  readonly code = 'invalid_params'
  readonly retryable = false

  constructor(
    /** What is wrong with the parameters. */
    readonly rule: string,
  ) {
    super(`Failed to parse 'params' field: ${rule}`)
  }
}

/** Returns a required field of a JSON object. @throws {InvalidParamsError} */
export function requiredField(value: unknown, name: string): unknown {
  const field = recordOf(value)[name]
  if (field === undefined) throw new InvalidParamsError(`missing field \`${name}\``)
  return field
}

/** Returns a JSON object. @throws {InvalidParamsError} */
export function recordOf(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value
  throw new InvalidParamsError(`invalid type: ${describe(value)}, expected a map`)
}

/** Returns a JSON array. @throws {InvalidParamsError} */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new InvalidParamsError(`invalid type: ${describe(value)}, expected a sequence`)
}

/** Returns a JSON string. @throws {InvalidParamsError} */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw new InvalidParamsError(`invalid type: ${describe(value)}, expected a string`)
}

/** Returns a JSON boolean. @throws {InvalidParamsError} */
export function booleanOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new InvalidParamsError(`invalid type: ${describe(value)}, expected a boolean`)
}

/** Returns an integer from 0 to `max`. @throws {InvalidParamsError} */
export function uintOf(value: unknown, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max) return value
  throw new InvalidParamsError(`invalid value: ${describe(value)}, expected an unsigned integer`)
}

/** Returns bytes from hex, of `length` if given. @throws {InvalidParamsError} */
export function bytesOf(value: unknown, length?: number): Uint8Array {
  const bytes = parseHex(textOf(value))
  if (length === undefined || bytes.length === length) return bytes
  throw new InvalidParamsError(`invalid length: expected ${length} bytes, got ${bytes.length}`)
}

/** Returns the lower-case hex of 32 bytes. @throws {InvalidParamsError} */
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
 * Returns name and content of an enum in JSON: `"Name"` or `{ "Name": content }`.
 *
 * @throws {InvalidParamsError} when the name is not one of `names`
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

/** Describes a JSON value like a node's messages. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return `string ${JSON.stringify(value.slice(0, 100))}`
  if (typeof value === 'number')
    return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``
  if (typeof value === 'boolean') return `boolean \`${value}\``
  return Array.isArray(value) ? 'sequence' : 'map'
}
