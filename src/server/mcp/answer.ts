import type { CallToolResult } from '@modelcontextprotocol/server'
import { errorAnswer } from '../errorAnswer.ts'
import { clip } from '../feedTexts.ts'
import { ERROR_HEADER } from '../http/headers.ts'

export interface McpAnswer {
  text: string
  data: Record<string, unknown>
}

/**
 * Maximum size of an answer as JSON. A token has at least one byte, so no tokenizer makes more than 8,000 tokens of it and of the
 * protocol's own fields.
 */
export const MAX_ANSWER_BYTES = 7_500

/** Maximum length of the message of an error. */
export const MAX_MESSAGE = 500

export const toResult = ({ text, data }: McpAnswer): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: data,
})

const sizeOf = (answer: McpAnswer): number => Buffer.byteLength(JSON.stringify(toResult(answer)))

/** Returns the answer with the most rows, up to `rows`, that is not too long. */
export function fitAnswer(rows: number, build: (rows: number) => McpAnswer): McpAnswer {
  let [fits, tooMany] = [0, rows + 1]
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (sizeOf(build(middle)) <= MAX_ANSWER_BYTES) fits = middle
    else tooMany = middle
  }
  return build(fits)
}

/** What the messages of the HTTP API name, and what a caller of tools has in its place. */
const namesOfTools = {
  '/v1/datasets/codes': 'list_codes',
  '/v1/datasets/attested': 'list_attested_datasets',
  'pass each as facet.<id>, empty where': 'pass each in facets, null where',
}

const inToolWords = (message: string): string =>
  Object.entries(namesOfTools).reduce((text, [name, own]) => text.replaceAll(name, own), message)

/** Describes an error with the status and code that the HTTP API has for it. */
export function describeError(error: unknown) {
  const { status, headers, body } = errorAnswer(error)
  const retryAfter = headers['retry-after']
  return {
    status,
    code: headers[ERROR_HEADER] ?? 'internal',
    message: clip(inToolWords(body.error), MAX_MESSAGE),
    ...(retryAfter === undefined ? {} : { retry_after_s: Number(retryAfter) }),
  }
}

export function toErrorResult(error: unknown): CallToolResult {
  const described = describeError(error)
  const { status, code, message, retry_after_s: seconds } = described
  const hint = seconds === undefined ? '' : ` Call again in ${seconds} s.`
  return {
    isError: true,
    content: [{ type: 'text', text: `Error ${status} ${code}: ${message}${hint}` }],
    structuredContent: { error: described },
  }
}
