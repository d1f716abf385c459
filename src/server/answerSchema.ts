import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { WattfeedError } from '../errors.ts'
import { strictSchema } from './plugins/query.ts'

/** What the chain holds does not fit its documented schema, and was not sent. */
export class ChainDataError extends WattfeedError {
  static override readonly name = 'ChainDataError'
  readonly code = 'chain_data'
  readonly retryable = false

  constructor(
    readonly subject: string,
    readonly path: string,
    readonly rule: string,
  ) {
    super(misfit(subject, path, rule))
  }
}

/** An answer that the server made does not fit its documented schema, and was not sent: a defect. */
export class BodySchemaError extends WattfeedError {
  static override readonly name = 'BodySchemaError'
  readonly code = 'body_schema'
  readonly retryable = false

  constructor(
    readonly subject: string,
    readonly path: string,
    readonly rule: string,
  ) {
    super(misfit(subject, path, rule))
  }
}

const misfit = (subject: string, path: string, rule: string): string =>
  `${subject} does not fit its schema${path === '' ? '' : ` at ${path}`}: ${rule}`

/** Creates a function that returns a body made of what the chain holds if it fits a schema, or throws a {@link ChainDataError}. */
export function createChainDataCheck<T extends TSchema>(schema: T) {
  const check = TypeCompiler.Compile(schema)
  return (body: Static<T>, subject: string): Static<T> => {
    // Looking for errors takes much longer than finding that there are none.
    const fault = check.Check(body) ? undefined : check.Errors(body).First()
    if (fault) throw new ChainDataError(subject, fault.path, fault.message)
    return body
  }
}

export interface AnswerDocs {
  description: string
  /** Response headers by name. */
  headers?: Readonly<Record<string, TSchema>>
}

/**
 * The schema of an answer, with its name in the OpenAPI document. Each body is checked once, however often it is sent: a
 * list of thousands of feeds is the same object until one of them changes. One that does not fit is a {@link BodySchemaError}.
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
    if (fault) throw new BodySchemaError(`the answer ${name}`, fault.path, fault.message)
    fitting.add(body as object)
    return body as Static<T>
  }
  return { ...strictSchema<Static<T>>(reference, read), headers }
}
