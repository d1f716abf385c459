import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { defineError } from '../../defineError.ts'
import { strictSchema } from './query.ts'

/** Data on chain does not match the documented schema, so it was not sent. */
export const ChainDataError = defineError(
  'ChainDataError',
  'chain_data',
  (facts: { subject: string; path: string; rule: string }) => misfit(facts.subject, facts.path, facts.rule),
)

/** A body that the server built does not match its documented schema, so it was not sent. This is a defect. */
export const BodySchemaError = defineError(
  'BodySchemaError',
  'body_schema',
  (facts: { subject: string; path: string; rule: string }) => misfit(facts.subject, facts.path, facts.rule),
)

const misfit = (subject: string, path: string, rule: string): string =>
  `${subject} does not match its schema${path === '' ? '' : ` at ${path}`}: ${rule}`

/**
 * Creates a function that returns a body if it matches a schema.
 *
 * The function throws a {@link ChainDataError} if it does not: the body is built from data on chain.
 */
export function createChainDataCheck<T extends TSchema>(schema: T) {
  const check = TypeCompiler.Compile(schema)
  return (body: Static<T>, subject: string): Static<T> => {
    // Listing the errors takes much longer than checking.
    const fault = check.Check(body) ? undefined : check.Errors(body).First()
    if (fault) throw new ChainDataError({ subject, path: fault.path, rule: fault.message })
    return body
  }
}

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
  const check = TypeCompiler.Compile(schema)
  const fitting = new WeakSet<object>()
  const reference = Type.Unsafe({ $ref: `#/components/schemas/${name}`, description })
  const read = (body: unknown): Static<T> => {
    if (typeof body === 'object' && body !== null && fitting.has(body)) return body as Static<T>
    const fault = check.Check(body) ? undefined : check.Errors(body).First()
    if (fault)
      throw new BodySchemaError({ subject: `the answer ${name}`, path: fault.path, rule: fault.message })
    fitting.add(body as object)
    return body as Static<T>
  }
  return { ...strictSchema<Static<T>>(reference, read), headers }
}
