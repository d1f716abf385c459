import type { JsonSchema, Shape } from '../../../api/shape.ts'

/** Returns the fault of a value and its place: `feeds[0].amount is a number, not a string`; null if it is valid. */
export function faultIn(schema: JsonSchema, value: unknown, place = ''): string | null {
  // Without a limit, the value is its own. Texts are not compared, because they are NaN.
  const { anyOf, type, pattern, minimum = value, maximum = value } = schema
  if (anyOf !== undefined) {
    const faults = anyOf.map((each) => faultIn(each, value, place))
    return faults.includes(null) ? null : (faults[0] ?? null)
  }
  if ('const' in schema && value !== schema.const) return fault(place, `not ${JSON.stringify(schema.const)}`)
  if (type === undefined) return null
  if (!isOf(type, value)) return fault(place, `${withArticle(typeOf(value))}, not ${withArticle(type)}`)
  if (pattern !== undefined && !new RegExp(pattern).test(String(value)))
    return fault(place, `not of the form ${pattern}`)
  if (Number(value) < Number(minimum) || Number(value) > Number(maximum)) return fault(place, 'out of range')
  return Array.isArray(value) ? faultInItems(schema, value, place) : faultInMembers(schema, value, place)
}

export const hasShape = <T>(shape: Shape<T>, value: unknown): value is T => faultIn(shape, value) === null

function faultInItems(schema: JsonSchema, values: readonly unknown[], place: string): string | null {
  const { items, minItems = 0, maxItems = values.length } = schema
  if (values.length < minItems || values.length > maxItems) return fault(place, 'too short or too long')
  if (items === undefined) return null
  for (const [index, each] of values.entries()) {
    const found = faultIn(items, each, `${place}[${index}]`)
    if (found !== null) return found
  }
  return null
}

function faultInMembers(schema: JsonSchema, value: unknown, place: string): string | null {
  if (schema.type !== 'object') return null
  const missing = schema.required?.find((name) => !Object.hasOwn(Object(value), name))
  if (missing !== undefined) return fault(below(place, missing), 'missing')
  const [others] = Object.values(schema.patternProperties ?? {})
  const properties = schema.properties ?? {}
  for (const [name, each] of Object.entries(Object(value))) {
    const member = Object.hasOwn(properties, name) ? properties[name] : others
    const found = member === undefined ? null : faultIn(member, each, below(place, name))
    if (found !== null) return found
  }
  return null
}

const fault = (place: string, words: string): string => `${place === '' ? 'the answer' : place} is ${words}`

const below = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`)

function isOf(type: NonNullable<JsonSchema['type']>, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type
}

/** Returns the type of a value in the words of JSON Schema. */
function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const withArticle = (type: string): string =>
  type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
