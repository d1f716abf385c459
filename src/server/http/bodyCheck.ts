import type { Static, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { defineHttpError } from './httpError.ts'

interface Misfit {
  /** What was checked, as the subject of a sentence. */
  subject: string
  /** JSON pointer; empty for the whole. */
  path: string
  rule: string
}

const misfitText = ({ subject, path, rule }: Misfit): string =>
  `${subject} does not match its schema${path === '' ? '' : ` at ${path}`}: ${rule}`

/** Data on chain does not match the documented schema, so it was not sent. */
export const ChainDataError = defineHttpError('ChainDataError', 'chain_data', misfitText, { status: 502 })

/** A body that the server built does not match its documented schema, so it was not sent. This is a defect. */
export const BodySchemaError = defineHttpError('BodySchemaError', 'body_schema', misfitText, { status: 500 })

/** Creates a function that returns a body if it matches a schema, else throws the error. */
export function createBodyCheck<T extends TSchema>(
  schema: T,
  MisfitError: typeof ChainDataError | typeof BodySchemaError,
) {
  const check = TypeCompiler.Compile(schema)
  return (body: Static<T>, subject: string): Static<T> => {
    // Listing the errors takes much longer than checking.
    const fault = check.Check(body) ? undefined : check.Errors(body).First()
    if (fault) throw new MisfitError({ subject, path: fault.path, rule: fault.message })
    return body
  }
}
