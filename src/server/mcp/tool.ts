import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { McpAnswer } from './answer.ts'
import type { McpCall } from './sources.ts'

/** A tool: its description for a model, and its work. */
export interface McpTool {
  readonly name: string
  readonly description: string
  readonly input: TObject
  readonly run: (args: never, call: McpCall) => Promise<McpAnswer>
}

/** Creates a tool whose arguments have the types of its schema. */
export const createTool = <T extends TObject>(
  tool: Omit<McpTool, 'input' | 'run'> & {
    input: T
    run: (args: Static<T>, call: McpCall) => Promise<McpAnswer>
  },
): McpTool => tool

const closed = { additionalProperties: false }

/** The arguments of a tool. Others are errors. */
export const argumentsOf = <T extends Parameters<typeof Type.Object>[0]>(properties: T) =>
  Type.Object(properties, closed)

/** Maximum length of a text that a caller sends. */
const MAX_LENGTH = 500

export const text = (description: string) => Type.String({ maxLength: MAX_LENGTH, description })

export const optionalText = (description: string) => Type.Optional(text(description))

/** Which part of a list to return. */
export const part = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
}

/** Returns the fields that say how to get the rest of a list; none if it is complete. */
export const restOf = (total: number, offset: number, shown: number) => ({
  total,
  shown,
  ...(offset + shown < total && shown > 0 ? { next: { offset: offset + shown } } : {}),
})
