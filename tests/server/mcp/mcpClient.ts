import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { AnyElysia } from 'elysia'

/** The protocol that a client speaks: that of 2025 with a handshake, or that of 2026 without. */
export const eras = ['2025-11-25', '2026-07-28'] as const

export type Era = (typeof eras)[number]

/** The `PUBLIC_URL` of servers whose answers name their own address. */
export const publicUrl = 'http://localhost:4030'

/** A client of an app without a socket. */
export async function connectTo(app: AnyElysia, era: Era): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    era === '2025-11-25' ? {} : { versionNegotiation: { mode: 'auto' } },
  )
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost:4030/mcp'), {
    fetch: (url, init) => {
      const headers = new Headers(init?.headers)
      // The runtime sets it on a socket.
      headers.set('host', 'localhost:4030')
      return app.handle(new Request(url, { ...init, headers }))
    },
  })
  await client.connect(transport)
  return client
}

/** The answer of a tool. */
export interface ToolAnswer {
  isError: boolean
  text: string
  data: Record<string, unknown>
  /** The whole answer as JSON. */
  json: string
}

export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: args })
  const [content] = result.content
  return {
    isError: result.isError === true,
    text: content?.type === 'text' ? content.text : '',
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
    json: JSON.stringify(result),
  }
}
