import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { BodySchemaError, createBodyCheck } from './bodyCheck.ts'
import { strictSchema } from './strictSchema.ts'

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
    const checked = check(body as Static<T>, `the answer ${name}`)
    fitting.add(body as object)
    return checked
  }
  return { ...strictSchema<Static<T>>(reference, read), headers }
}
