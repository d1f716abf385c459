import {
  fromJsonSchema,
  type JsonSchemaType,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { schemaFaults } from '../../runtime/schemaFaults.ts'
import { clip } from '../feedTexts.ts'
import type { McpTool } from './tool.ts'

const MAX_FAULTS = 3
const MAX_MESSAGE = 500

/** Returns the arguments of a tool as JSON Schema, with a check whose errors say what is wrong and what the tool takes. */
export function toolSchema({ input }: Pick<McpTool, 'input'>): StandardSchemaWithJSON {
  const check = TypeCompiler.Compile(input)
  const known = Object.keys(input.properties).join(', ')
  return fromJsonSchema(listed(input), {
    getValidator: () => (given) => {
      const data = meant(input, given)
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
 * Returns the arguments that a weak model meant: null is no argument, a number can stand for its text, and one item for a list of
 * it. The schema shows one way only.
 */
function meant({ properties }: McpTool['input'], given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const present = Object.entries(given).filter(([, value]) => value !== null)
  return Object.fromEntries(
    present.map(([name, value]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
      if (type === 'string' && typeof value === 'number') return [name, String(value)]
      return [name, type === 'array' && typeof value === 'string' ? [value] : value]
    }),
  )
}

/** A schema of TypeBox has symbols, and rules in words: neither is JSON Schema. */
const listed = (input: McpTool['input']): JsonSchemaType =>
  JSON.parse(JSON.stringify(input, (key, value) => (key === 'error' ? undefined : value)))

const describe = (input: McpTool['input'], data: unknown): string =>
  clip(schemaFaults(input, data).slice(0, MAX_FAULTS).join('; '), MAX_MESSAGE)
