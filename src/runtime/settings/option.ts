import type { StaticDecode, TSchema } from '@sinclair/typebox'
import { InvalidArgumentError } from 'commander'
import { parseText } from './parseText.ts'

/** Makes commander parse an option by a schema. Its error states the rule. */
export function option<T extends TSchema>(schema: T): (text: string) => StaticDecode<T> {
  return (text) => {
    try {
      return parseText(schema, text)
    } catch (error) {
      throw new InvalidArgumentError(`It must be ${error instanceof Error ? error.message : error}.`)
    }
  }
}
