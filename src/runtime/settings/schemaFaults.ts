import type { TSchema } from '@sinclair/typebox'
import {
  TransformDecodeError,
  Value,
  type ValueError,
  ValueErrorType,
  ValuePointer,
} from '@sinclair/typebox/value'
import { ruleOf } from './parseText.ts'

/**
 * Lists where a JSON value breaks its schema, in words, one fault for each place: `decimals is 300: it must be a whole
 * number from 0 to 255`.
 */
export function schemaFaults(schema: TSchema, value: unknown): string[] {
  const errors = [...Value.Errors(schema, value)].map(mostSpecific)
  return [...new Map(errors.map((error) => [error.path, describe(error)])).values()]
}

export function decodeFault(schema: TSchema, value: unknown, error: unknown): string | undefined {
  if (!(error instanceof TransformDecodeError)) return schemaFaults(schema, value)[0]
  return formatFault(error.path, error.value, `it must be ${error.message}`)
}

/** Returns the deepest error inside a union: that variant was probably intended. */
function mostSpecific(error: ValueError): ValueError {
  const nested = error.errors.flatMap((errors) => [...errors]).map(mostSpecific)
  return nested.reduce((deepest, each) => (each.path.length > deepest.path.length ? each : deepest), error)
}

function describe({ type, path, schema, value }: ValueError): string {
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return `${placeOf(path)} is not a known field; remove it`
  return formatFault(path, value, `it must be ${ruleOf(schema)}`)
}

const formatFault = (path: string, value: unknown, rule: string): string =>
  path === '' ? rule : `${placeOf(path)} is ${shown(value)}: ${rule}`

const placeOf = (path: string): string => [...ValuePointer.Format(path)].join('.')

const MAX_SHOWN_LENGTH = 100

function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text
}
