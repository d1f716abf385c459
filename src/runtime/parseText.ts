import type { StaticDecode, TSchema } from '@sinclair/typebox'
import { TransformDecodeError, Value } from '@sinclair/typebox/value'

/**
 * Parses text (a setting, an option, a query parameter) by its schema. Numbers are plain decimals: no sign, exponent or
 * space.
 *
 * @throws an error whose message says what the text must be.
 *
 * @example
 * ```ts
 * parseText(Type.Integer({ minimum: 1, maximum: 9 }), '7') // 7
 * parseText(Type.Integer({ minimum: 1, maximum: 9 }), '0') // Error: a whole number from 1 to 9
 * ```
 */
export function parseText<T extends TSchema>(schema: T, text: string): StaticDecode<T> {
  try {
    return Value.Decode(schema, isPlainNumber(schema, text) ? Number(text) : text)
  } catch (error) {
    throw new Error(error instanceof TransformDecodeError ? error.message : ruleOf(schema))
  }
}

function isPlainNumber({ type }: TSchema, text: string): boolean {
  if (type === 'integer') return /^[0-9]{1,20}$/.test(text)
  return type === 'number' && /^[0-9]{1,10}(\.[0-9]{1,6})?$/.test(text)
}

/**
 * Returns what a value of a schema must be, in words that continue "it must be". Numbers and lists of literals speak for
 * themselves; other schemas say it as `error`.
 */
export function ruleOf(schema: TSchema): string {
  const { type, minimum, maximum, exclusiveMinimum, anyOf, error } = schema
  if (error !== undefined) return String(error)
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`
  if (type === 'number') return `a number above ${exclusiveMinimum}, at most ${maximum}`
  return `one of ${anyOf.map((each: TSchema) => each.const).join(', ')}`
}
