import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { defineError } from '@wattfeed/base'
import { strictSchema } from './strictSchema.ts'

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
export const ChainDataError = defineError('ChainDataError', 'chain_data', misfitText)

/** A body that the server built does not match its documented schema, so it was not sent. This is a defect. */
export const BodySchemaError = defineError('BodySchemaError', 'body_schema', misfitText)

/** Creates a function that returns a body if it matches a schema, else throws. */
function createBodyCheck<T extends TSchema>(
  schema: T,
  MisfitError: typeof ChainDataError | typeof BodySchemaError,
) {
  const check = TypeCompiler.Compile(schema)
  return (body: unknown, subject: string): Static<T> => {
    // Listing the errors takes much longer than checking.
    const fault = check.Check(body) ? undefined : check.Errors(body).First()
    if (fault) throw new MisfitError({ subject, path: fault.path, rule: fault.message })
    return body as Static<T>
  }
}

/** Creates a function that returns a body of data on chain if it matches a schema, else throws a {@link ChainDataError}. */
export const createChainDataCheck = <T extends TSchema>(
  schema: T,
): ((body: Static<T>, subject: string) => Static<T>) => createBodyCheck(schema, ChainDataError)

export interface AnswerDocs {
  description: string
  headers?: Readonly<Record<string, TSchema>>
}

/**
 * Creates the schema of a response body, under its name in the OpenAPI document. Each body object is checked once: a list of
 * thousands of feeds is the same object until a feed changes. A body that does not match throws a {@link BodySchemaError}.
 */
export function answerSchema<T extends TSchema>(
  name: string,
  schema: T,
  { description, headers = {} }: AnswerDocs,
) {
  const check = createBodyCheck(schema, BodySchemaError)
  const fitting = new WeakSet<object>()
  const reference = Type.Unsafe({ $ref: `#/components/schemas/${name}`, description })
  const read = (body: unknown): Static<T> => {
    if (typeof body === 'object' && body !== null && fitting.has(body)) return body as Static<T>
    const checked = check(body, `the answer ${name}`)
    fitting.add(body as object)
    return checked
  }
  return { ...strictSchema<Static<T>>(reference, read), headers }
}
