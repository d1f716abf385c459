import type { Static, TSchema } from '@sinclair/typebox'
import * as schemas from './schemas.ts'

/** A JSON schema as far as {@link shapeOf} keeps it: what an answer is, without words about it. */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly const?: unknown
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** The schema of a JSON text whose value is a `T`. */
export interface Shape<T> extends JsonSchema {
  /** Never set: carries the type. */
  readonly value?: T
}

type Schemas = typeof schemas
type BodyName = { [Name in keyof Schemas]: Schemas[Name] extends TSchema ? Name : never }[keyof Schemas]

const byName: Schemas = { ...schemas }

const words = new Set(['$id', 'title', 'description', 'additionalProperties', 'examples', 'default'])

/**
 * Returns the schema of an answer, for pages to check what they receive. Import it as a macro: then a page contains this
 * schema and no schema library. Members that a schema does not name are allowed, because a newer server may add some.
 *
 * @example
 * ```ts
 * import { shapeOf } from '../../api/shape.ts' with { type: 'macro' }
 *
 * const feeds = shapeOf('feedsBody')
 * ```
 */
export function shapeOf<Name extends BodyName>(name: Name): Shape<Static<Schemas[Name]>> {
  return JSON.parse(JSON.stringify(byName[name], withoutWords))
}

/** Members of `properties` may be named like a word, and are schemas, which are objects. */
const withoutWords = (name: string, value: unknown): unknown =>
  words.has(name) && typeof value !== 'object' ? undefined : value
