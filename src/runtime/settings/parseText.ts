import type { StaticDecode, TSchema } from '@sinclair/typebox'
import { TransformDecodeError, Value } from '@sinclair/typebox/value'

/**
 * Parses text (a setting, an option, a query parameter) by its schema. Numbers are plain decimals: no sign, exponent or
 * space.
 *
 * @throws an error whose message says what the text must be.
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
 * Returns what a value of a schema must be, in words that continue "it must be". A schema states it as `error` if its
 * type does not.
 */
export function ruleOf(schema: TSchema): string {
  const { type, anyOf, error } = schema
  if (error !== undefined) return String(error)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (anyOf !== undefined) return anyOfRule(anyOf)
  if (type === 'integer' || type === 'number') return numberRule(schema)
  return typeRules[type] ?? 'something else'
}

const typeRules: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

function anyOfRule(schemas: readonly TSchema[]): string {
  const isChoice = schemas.every((each) => 'const' in each)
  return isChoice
    ? `one of ${schemas.map((each) => each.const).join(', ')}`
    : schemas.map(ruleOf).join(' or ')
}

function numberRule({ type, minimum, maximum, exclusiveMinimum }: TSchema): string {
  const what = type === 'integer' ? 'a whole number' : 'a number'
  if (exclusiveMinimum !== undefined) return `${what} above ${exclusiveMinimum}, at most ${maximum}`
  if (maximum !== undefined) return `${what} from ${minimum} to ${maximum}`
  return minimum === undefined ? what : `${what} of at least ${minimum}`
}
