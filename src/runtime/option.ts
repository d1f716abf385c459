import type { StaticDecode, TSchema } from '@sinclair/typebox'
import { InvalidArgumentError } from 'commander'
import { parseText } from './parseText.ts'

/** Has commander parse an option by a schema: its error says what the text must be. */
export function option<T extends TSchema>(schema: T): (text: string) => StaticDecode<T> {
  return (text) => {
    try {
      return parseText(schema, text)
    } catch (error) {
      throw new InvalidArgumentError(`It must be ${error instanceof Error ? error.message : error}.`)
    }
  }
}
