import type { StaticDecode, TSchema } from '@sinclair/typebox'
import { InvalidArgumentError } from 'commander'
import { parseText } from './parseText.ts'
import { SettingsError } from './settings.ts'

/**
 * Makes commander parse an option by a schema. Its error states the rule, and shows the text. So the text of a secret is for
 * {@link parseSecretOption}.
 */
export function option<T extends TSchema>(schema: T): (text: string) => StaticDecode<T> {
  if (schema.isSecret) throw new TypeError('commander would show the text of a secret option')
  return (text) => {
    try {
      return parseText(schema, text)
    } catch (error) {
      throw new InvalidArgumentError(`It must be ${error instanceof Error ? error.message : error}.`)
    }
  }
}

/**
 * Parses the text of an option when the command runs. The error does not show it.
 *
 * @throws {SettingsError} if it breaks the schema.
 */
export function parseSecretOption<T extends TSchema>(name: string, schema: T, text: string): StaticDecode<T> {
  try {
    return parseText(schema, text)
  } catch (error) {
    throw new SettingsError({ faults: [`${name} must be ${error instanceof Error ? error.message : error}`] })
  }
}
