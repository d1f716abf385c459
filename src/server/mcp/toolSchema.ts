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
    getValidator: () => (data) =>
      check.Check(data)
        ? { valid: true, data: data as never, errorMessage: undefined }
        : {
            valid: false,
            data: undefined,
            errorMessage: `${describe(input, data)}. Its arguments: ${known}`,
          },
  })
}

/** A schema of TypeBox has symbols, and rules in words: neither is JSON Schema. */
const listed = (input: McpTool['input']): JsonSchemaType =>
  JSON.parse(JSON.stringify(input, (key, value) => (key === 'error' ? undefined : value)))

const describe = (input: McpTool['input'], data: unknown): string =>
  clip(schemaFaults(input, data).slice(0, MAX_FAULTS).join('; '), MAX_MESSAGE)
