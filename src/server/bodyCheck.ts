import type { Static, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { WattfeedError } from '../errors.ts'

/** An answer that was about to be sent does not fit the schema that documents it. */
export class BodySchemaError extends WattfeedError {
  static override readonly name = 'BodySchemaError'
  readonly code = 'body_schema'
  readonly retryable = false

  constructor(
    /** What the answer was made of: what the chain holds, or what the server itself knows. */
    readonly origin: 'chain' | 'server',
    readonly subject: string,
    readonly path: string,
    readonly rule: string,
  ) {
    super(`${subject} does not fit its schema${path === '' ? '' : ` at ${path}`}: ${rule}`)
  }
}

/**
 * Makes a check of a schema: it returns the JSON text of a body that fits.
 *
 * @throws {BodySchemaError} (the check) where the body does not fit.
 */
export function createBodyCheck<T extends TSchema>(schema: T, origin: 'chain' | 'server') {
  const check = TypeCompiler.Compile(schema)
  return (body: Static<T>, subject: string): string => {
    const fault = check.Errors(body).First()
    if (fault) throw new BodySchemaError(origin, subject, fault.path, fault.message)
    return JSON.stringify(body)
  }
}
