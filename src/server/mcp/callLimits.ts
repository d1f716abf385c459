import { type AbortSignalLike, limitTime } from '@wattfeed/base'
import { defineHttpError } from '../http/httpError.ts'

const McpBusyError = defineHttpError(
  'McpBusyError',
  'mcp_busy',
  (facts: { maxCalls: number }) =>
    `limit of ${facts.maxCalls} tool calls at once reached; retry in a few seconds`,
  { status: 429, retryable: true },
)

const McpTimeoutError = defineHttpError(
  'McpTimeoutError',
  'mcp_timeout',
  (facts: { timeoutMs: number }) =>
    `the tool did not finish within ${facts.timeoutMs} ms; retry later, or ask for less`,
  { status: 503, retryable: true },
)

export interface McpLimits {
  /** Maximum number of calls at once. @default 64 */
  maxCalls?: number
  /** Maximum time of a call, in milliseconds. @default 20000 */
  timeoutMs?: number
}

/** Runs a call within the limits of their number and time. */
export type RunCall = <T>(call: (signal: AbortSignalLike) => Promise<T>) => Promise<T>

/** Creates the limits that all servers of one endpoint share. */
export function createMcpCalls({ maxCalls = 64, timeoutMs = 20_000 }: McpLimits = {}): RunCall {
  let running = 0
  return async (call) => {
    if (running >= maxCalls) throw new McpBusyError({ maxCalls })
    running += 1
    try {
      const error = () => new McpTimeoutError({ timeoutMs })
      return await limitTime({ timeoutMs, error }, ({ signal }) => call(signal))
    } finally {
      running -= 1
    }
  }
}
