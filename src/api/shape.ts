import type { Static, TSchema } from '@sinclair/typebox'
import * as schemas from './schemas.ts'

/** The part of a JSON schema that {@link shapeOf} returns: structure without annotations. */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly anyOf?: readonly JsonSchema[]
  readonly const?: unknown
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** The schema of a JSON text that parses to a `T`. */
export interface Shape<T> extends JsonSchema {
  /** Never set: carries the type. */
  readonly value?: T
}

type Schemas = typeof schemas
type BodyName = { [Name in keyof Schemas]: Schemas[Name] extends TSchema ? Name : never }[keyof Schemas]

const byName: Schemas = { ...schemas }

const annotations = new Set(['$id', 'title', 'description', 'additionalProperties', 'examples', 'default'])

/**
 * Returns the schema of a response body, so that pages can check responses. Import it as a macro: the page then contains only
 * this schema, and no schema library. Unknown members are allowed, because a newer server may add some.
 *
 * @example
 * ```ts
 * import { shapeOf } from '../../api/shape.ts' with { type: 'macro' }
 *
 * const feeds = shapeOf('feedsBody')
 * ```
 */
export function shapeOf<Name extends BodyName>(name: Name): Shape<Static<Schemas[Name]>> {
  return JSON.parse(JSON.stringify(byName[name], withoutAnnotations))
}

/** A member of `properties` may have the name of an annotation, but it is an object. */
const withoutAnnotations = (name: string, value: unknown): unknown =>
  annotations.has(name) && typeof value !== 'object' ? undefined : value
