import { lazy } from '@wattfeed/base'
import { Elysia } from 'elysia'
import { hidden } from '../http/apiDocs.ts'
import { commonHeaders, MCP_METHODS, MCP_PATH } from '../http/headers.ts'
import type { Server } from '../server.ts'
import { loopbackHosts } from '../settings.ts'
import type { McpSettings } from './handler.ts'
import type { McpSources } from './sources.ts'

// A preflight only tells a browser what it may ask. The handler checks the origin of the request itself.
const preflightHeaders = {
  ...commonHeaders,
  allow: MCP_METHODS,
  'access-control-allow-methods': MCP_METHODS,
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
}

/** Tools for language models, by the Model Context Protocol. Its code loads with the first request. */
export function mcp(
  server: Server,
  readers: Pick<McpSources, 'readHistory' | 'series'>,
  settings: McpSettings = { allowedHosts: loopbackHosts, allowedOrigins: loopbackHosts },
) {
  const load = lazy(async () => (await import('./handler.ts')).createHandler(server, readers, settings))
  return new Elysia({ name: 'mcp' })
    .post(
      MCP_PATH,
      async ({ request }) => {
        const handle = await load()
        const response = await handle(request)
        for (const [name, value] of Object.entries(commonHeaders)) response.headers.set(name, value)
        return response
      },
      { parse: 'none', ...hidden },
    )
    .options(MCP_PATH, () => new Response(null, { status: 204, headers: preflightHeaders }), hidden)
}
