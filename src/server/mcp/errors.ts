import { WattfeedError } from '../../errors.ts'

/** Too many tool calls are running. */
export class McpBusyError extends WattfeedError {
  static override readonly name = 'McpBusyError'
  readonly code = 'mcp_busy'
  readonly retryable = true

  constructor(readonly maxCalls: number) {
    super(`limit of ${maxCalls} tool calls at once reached; retry in a few seconds`)
  }
}

/** A tool call took too long. */
export class McpTimeoutError extends WattfeedError {
  static override readonly name = 'McpTimeoutError'
  readonly code = 'mcp_timeout'
  readonly retryable = true

  constructor(readonly timeoutMs: number) {
    super(`the tool did not finish within ${timeoutMs} ms; retry later, or ask for less`)
  }
}

/** The Host or the Origin of a request is not allowed. */
export class McpForbiddenError extends WattfeedError {
  static override readonly name = 'McpForbiddenError'
  readonly code = 'mcp_forbidden'
  readonly retryable = false

  constructor(
    /** The rejected header. */
    readonly header: 'Host' | 'Origin',
    /** As sent; null if it is missing. */
    readonly value: string | null,
  ) {
    const setting = header === 'Host' ? 'MCP_ALLOWED_HOSTS' : 'MCP_ALLOWED_ORIGINS'
    super(
      `POST /mcp does not allow the ${header} ${value === null ? '(none)' : JSON.stringify(value.slice(0, 100))}; the operator can add its host name to ${setting}`,
    )
  }
}

/** The `Accept` of a request rules out JSON. */
export class McpNotAcceptableError extends WattfeedError {
  static override readonly name = 'McpNotAcceptableError'
  readonly code = 'mcp_not_acceptable'
  readonly retryable = false

  constructor(
    /** As sent. */
    readonly accept: string,
  ) {
    super(
      `POST /mcp answers with application/json, which the Accept ${JSON.stringify(accept.slice(0, 100))} rules out; add it, or omit the header`,
    )
  }
}
