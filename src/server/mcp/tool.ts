import { type Static, type TObject, Type } from '@sinclair/typebox'
import { MAX_ANSWER_BYTES, type McpAnswer } from './answer.ts'
import type { McpCall } from './sources.ts'
import { countOf } from './texts.ts'

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

export const text = (description: string) =>
  Type.String({ maxLength: MAX_LENGTH, description, error: `a text of at most ${MAX_LENGTH} characters` })

export const optionalText = (description: string) => Type.Optional(text(description))

export const feedId = text('Feed id, such as "EIA.PET.PRICE.WTI.DAILY".')

export const DEFAULT_LIMIT = 20

/** The arguments that select a part of a list. */
export const part = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: DEFAULT_LIMIT })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
}

export interface ListPart {
  readonly noun: 'feed' | 'dataset' | 'code'
  readonly total: number
  readonly offset: number
  /** Number of the rows that the answer has. */
  readonly shown: number
  /** Number of the rows that the caller asked for. More than `shown` if the answer would be too long. */
  readonly wanted: number
}

/** Returns the fields that say how to get the rest of a list; none if it is complete. */
export const restOf = ({ noun, total, offset, shown }: ListPart) => ({
  [`total_${noun}s`]: total,
  shown,
  ...(offset + shown < total && shown > 0 ? { next: { offset: offset + shown } } : {}),
})

export const TOO_LONG = `, because an answer has at most ${MAX_ANSWER_BYTES.toLocaleString('en-US')} bytes`

/** Says which rows of a list the answer has, and how to get the rest. */
export function describePart({ noun, total, offset, shown, wanted }: ListPart): string {
  if (shown === total) return ''
  if (offset >= total) return `Offset ${offset} is past the last of ${countOf(total, noun)}.`
  const last = offset + shown
  const reason = shown < wanted ? TOO_LONG : ''
  const rest = last < total ? ` Call again with offset=${last} for more.` : ''
  return `This answer has ${offset + 1} to ${last} of ${total}${reason}.${rest}`
}
