import type { Static, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { WattfeedError } from '../errors.ts'

/** An answer does not fit its documented schema, and was not sent. */
export class BodySchemaError extends WattfeedError {
  static override readonly name = 'BodySchemaError'
  readonly code = 'body_schema'
  readonly retryable = false

  constructor(
    /** Where the answer's data comes from. */
    readonly origin: 'chain' | 'server',
    readonly subject: string,
    readonly path: string,
    readonly rule: string,
  ) {
    super(`${subject} does not fit its schema${path === '' ? '' : ` at ${path}`}: ${rule}`)
  }
}

/**
 * Creates a function that checks a body against a schema and returns its JSON text, or throws a {@link BodySchemaError}.
 */
export function createBodyCheck<T extends TSchema>(schema: T, origin: 'chain' | 'server') {
  const check = TypeCompiler.Compile(schema)
  return (body: Static<T>, subject: string): string => {
    // Looking for errors takes much longer than finding that there are none.
    const fault = check.Check(body) ? undefined : check.Errors(body).First()
    if (fault) throw new BodySchemaError(origin, subject, fault.path, fault.message)
    return JSON.stringify(body)
  }
}
