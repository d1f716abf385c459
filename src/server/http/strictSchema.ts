import type { TSchema } from '@sinclair/typebox'

/**
 * A schema that Elysia calls through the Standard Schema interface. Elysia then coerces and strips no values, and adds no
 * defaults.
 *
 * @see https://standardschema.dev
 */
export interface StrictSchema<T> {
  readonly json: TSchema
  readonly '~standard': {
    readonly version: 1
    readonly vendor: typeof VENDOR
    readonly types?: { readonly input: unknown; readonly output: T }
    validate(value: unknown): { value: T }
  }
}

/** Identifies our schemas to the OpenAPI plugin. */
export const VENDOR = 'wattfeed'

/** Creates a schema that returns what `read` makes of a value. */
export const strictSchema = <T>(json: TSchema, read: (value: unknown) => T): StrictSchema<T> => ({
  json,
  '~standard': { version: 1, vendor: VENDOR, validate: (value) => ({ value: read(value) }) },
})
