import { readFile } from 'node:fs/promises'
import type { StaticDecode, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { nullIfMissing, parseJson, systemReason } from '@wattfeed/base'
import { decodeFault } from './settings/schemaFaults.ts'

export interface JsonFileRules<T extends TSchema> {
  schema: T
  /** The expected kind of file. Completes "is not": `a deployment file`. */
  kind: string
  /** How to fix an invalid file. */
  cure: string
  /** Creates the error from a rule that continues the path: `cannot be read (EACCES); let this user read it`. */
  fail: (rule: string) => Error
}

/**
 * Reads a JSON file; null if it does not exist.
 *
 * @throws the error of `fail`, with the first fault, its place in the file and the value there.
 */
export async function readJsonFile<T extends TSchema>(
  path: string,
  rules: JsonFileRules<T>,
): Promise<StaticDecode<T> | null> {
  const text = await readTextFile(path, rules)
  return text === null ? null : checkJson(text, rules)
}

/** Reads a text file; null if it does not exist. @throws the error of `fail` */
export async function readTextFile(
  path: string,
  { fail }: Pick<JsonFileRules<TSchema>, 'fail'>,
): Promise<string | null> {
  return readFile(path, 'utf8')
    .catch(nullIfMissing)
    .catch((error) => {
      throw fail(`cannot be read (${systemReason(error)}); let this user read it`)
    })
}

/** Decodes the text of a JSON file. @throws the error of `fail` */
export function checkJson<T extends TSchema>(text: string, rules: JsonFileRules<T>): StaticDecode<T> {
  const value = parseJson(text)
  if (value !== undefined) return checkValue(value, rules)
  throw rules.fail(`is not ${rules.kind}: it is not JSON; ${rules.cure}`)
}

/** Decodes a value of a JSON file. @throws the error of `fail` */
export function checkValue<T extends TSchema>(
  value: unknown,
  { schema, kind, cure, fail }: JsonFileRules<T>,
): StaticDecode<T> {
  try {
    return Value.Decode(schema, value)
  } catch (error) {
    throw fail(`is not ${kind}: ${decodeFault(schema, value, error)}; ${cure}`)
  }
}
