import {
  fromJsonSchema,
  type JsonSchemaType,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { TypeGuard } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { schemaFaults } from '../../runtime/settings/schemaFaults.ts'
import { clip } from '../feedTexts.ts'
import { MAX_MESSAGE } from './answer.ts'
import type { McpTool } from './tool.ts'

const MAX_FAULTS = 3

/** Returns the arguments of a tool as JSON Schema, with a check whose errors say what is wrong and what the tool takes. */
export function toolSchema({ input }: Pick<McpTool, 'input'>): StandardSchemaWithJSON {
  const check = TypeCompiler.Compile(input)
  const known = Object.keys(input.properties).join(', ')
  return fromJsonSchema(jsonSchemaOf(input), {
    getValidator: () => (sent) => {
      const data = repairArguments(input, sent)
      return check.Check(data)
        ? { valid: true, data: data as never, errorMessage: undefined }
        : {
            valid: false,
            data: undefined,
            errorMessage: `${describe(input, data)}. Its arguments: ${known}`,
          }
    },
  })
}

/**
 * Returns arguments in the form that the schema shows. Weak clients send null for an optional argument, a number for its text, and one text
 * for a list of texts.
 */
function repairArguments({ properties }: McpTool['input'], sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null) return sent
  return Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (schema === undefined) return [[name, value]]
      if (value === null && TypeGuard.IsOptional(schema)) return []
      if (typeof value === 'number' && TypeGuard.IsString(schema)) return [[name, numberAsText(value)]]
      if (typeof value === 'string' && TypeGuard.IsArray(schema)) return [[name, [value]]]
      return [[name, value]]
    }),
  )
}

/** Digits that every JSON number keeps. */
const MAX_DIGITS = 15

/** Returns a number as its text. One with more digits stays as it is, because it may not be the number that the client meant. */
function numberAsText(value: number): string | number {
  const text = String(value)
  return text.replaceAll(/\D/g, '').length <= MAX_DIGITS ? text : value
}

/** A schema of TypeBox has symbols, and rules in words: neither is JSON Schema. */
const jsonSchemaOf = (input: McpTool['input']): JsonSchemaType =>
  JSON.parse(JSON.stringify(input, (key, value) => (key === 'error' ? undefined : value)))

const describe = (input: McpTool['input'], data: unknown): string =>
  clip(schemaFaults(input, data).slice(0, MAX_FAULTS).join('; '), MAX_MESSAGE)
