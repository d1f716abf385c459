import { defineError } from '../../defineError.ts'

export const McpBusyError = defineError(
  'McpBusyError',
  'mcp_busy',
  (facts: { maxCalls: number }) =>
    `limit of ${facts.maxCalls} tool calls at once reached; retry in a few seconds`,
  { retryable: true },
)

export const McpTimeoutError = defineError(
  'McpTimeoutError',
  'mcp_timeout',
  (facts: { timeoutMs: number }) =>
    `the tool did not finish within ${facts.timeoutMs} ms; retry later, or ask for less`,
  { retryable: true },
)

export const McpForbiddenError = defineError(
  'McpForbiddenError',
  'mcp_forbidden',
  (facts: {
    header: 'Host' | 'Origin'
    /** As sent; null if it is missing. */
    value: string | null
  }) => {
    const setting = facts.header === 'Host' ? 'MCP_ALLOWED_HOSTS' : 'MCP_ALLOWED_ORIGINS'
    return `POST /mcp does not allow the ${facts.header} ${facts.value === null ? '(none)' : JSON.stringify(facts.value.slice(0, 100))}; the operator can add its host name to ${setting}`
  },
)

export const McpNotAcceptableError = defineError(
  'McpNotAcceptableError',
  'mcp_not_acceptable',
  (facts: {
    /** As sent. */
    accept: string
  }) =>
    `POST /mcp answers with application/json, which the Accept ${JSON.stringify(facts.accept.slice(0, 100))} rules out; add it, or omit the header`,
)
