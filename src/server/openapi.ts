import { openapi } from '@elysiajs/openapi'
import { Elysia } from 'elysia'
import scriptPath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { apiSchemas } from './apiDocs.ts'
import { commonHeaders } from './headers.ts'
import { openapiStyle } from './openapiStyle.ts'

const STYLE = '/openapi/swagger-ui.css'
const SCRIPT = '/openapi/swagger-ui-bundle.js'

/** `GET /openapi/json` and `GET /openapi`, a page that loads nothing from other hosts. */
export function createOpenapi(version: string) {
  return new Elysia({ name: 'openapi' })
    .get(STYLE, async () => asset(await openapiStyle(), 'text/css; charset=utf-8'), {
      detail: { hide: true },
    })
    .get(SCRIPT, () => asset(Bun.file(scriptPath), 'text/javascript; charset=utf-8'), {
      detail: { hide: true },
    })
    .use(
      openapi({
        path: '/openapi',
        // Otherwise the plugin leaves out every path with a dot.
        exclude: { staticFile: false },
        specPath: '/openapi/json',
        provider: 'swagger-ui',
        // `url` is missing in the plugin's types; its default is relative, which breaks at `/openapi/`.
        swagger: { theme: STYLE, autoDarkMode: false, cdn: SCRIPT, url: '/openapi/json' } as object,
        documentation: { info: info(version), tags, externalDocs, components: { schemas: plainSchemas() } },
      }),
    )
}

const asset = (body: BodyInit, contentType: string): Response =>
  new Response(body, {
    headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600', ...commonHeaders },
  })

// Without TypeBox's symbols: plain JSON Schema.
const plainSchemas = () => JSON.parse(JSON.stringify(apiSchemas))

const info = (version: string) => ({
  title: 'wattfeed',
  version,
  license: { name: 'MIT', identifier: 'MIT' },
  description:
    'Attested US energy statistics, read from the Casper blockchain at request time. GET only, no keys, any origin. Other methods on these paths are answered with 405, other paths with 404, more than one Host header with 400, all with an Error body. Malformed HTTP requests (400), those with a head of more than 16 KiB or about 200 headers (431), and those that are not HTTP/1.0 or 1.1 (505) are answered by the runtime, without a body or CORS headers; a method that it does not know ends the connection.',
})

/** The way back from the page. */
const externalDocs = { url: '/', description: 'The explorer: look at the feeds, and prove them' }

const tags = [
  { name: 'feeds', description: 'Readings, straight from the chain.' },
  { name: 'catalog', description: 'The datasets that EIA publishes.' },
  { name: 'service', description: 'The server itself.' },
]
