import { openapi } from '@elysiajs/openapi'
import { Elysia } from 'elysia'
import scriptPath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { lazy } from '../../async/lazy.ts'
import { boltHtml } from '../../site/brand.ts'
import { places } from '../../site/places.ts'
import { apiSchemas } from '../apiDocs.ts'
import type { AnswerHeaders } from '../headers.ts'
import { openapiStyle } from '../openapiStyle.ts'
import { headersOfInlinePage } from '../pages.ts'
import { contentResponse, createContent } from './content.ts'
import { type StrictSchema, VENDOR } from './query.ts'

const STYLE = '/openapi/swagger-ui.css'
const SCRIPT = '/openapi/swagger-ui-bundle.js'

const hidden = { detail: { hide: true } }

const CACHED = { 'cache-control': 'public, max-age=3600' }

/** `GET /openapi/json` and `GET /openapi`, a page that loads nothing from other hosts. */
export const createOpenapi = (version: string) =>
  new Elysia({ name: 'openapi' })
    .get(STYLE, async ({ request }) => contentResponse(request, await style(), CACHED), hidden)
    .get(SCRIPT, async ({ request }) => contentResponse(request, await script(), CACHED), hidden)
    .get('/openapi', ({ request }) => contentResponse(request, page, pageHeaders), hidden)
    .use(
      openapi({
        path: '/openapi',
        // Otherwise the plugin leaves out every path with a dot.
        exclude: { staticFile: false },
        specPath: '/openapi/json',
        // Its page has no landmarks, and no way to the other pages.
        provider: null,
        mapJsonSchema: { [VENDOR]: ({ json }: StrictSchema<unknown>) => withoutRules(json) },
        documentation: { info: info(version), tags, externalDocs, components: { schemas: plainSchemas() } },
      }),
    )

/** Our rules for people are no JSON Schema. */
const withoutRules = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema, (name, value) => (name === 'error' ? undefined : value)))

const style = lazy(async () => createContent(await openapiStyle(), 'text/css; charset=utf-8'))
const script = lazy(async () =>
  createContent(await Bun.file(scriptPath).bytes(), 'text/javascript; charset=utf-8'),
)

const links = places.map(
  ([href, name]) =>
    `<li><a href="${href}"${href === '/openapi' ? ' aria-current="page"' : ''}>${name}</a></li>`,
)

// Highlighted examples have colours of their own, in attributes. What the script mends, Swagger has no option for: text outside
// every landmark, tables that are landmarks without a name, and examples that scroll but not by keyboard.
const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="The HTTP interface of wattfeed: every endpoint, to be tried out.">
    <title>API · wattfeed</title>
    <link rel="icon" href="/favicon.ico">
    <link rel="stylesheet" href="${STYLE}">
  </head>
  <body>
    <header class="header">
      <a class="brand" href="/">${boltHtml}wattfeed</a>
      <nav aria-label="Pages"><ul>${links.join('')}</ul></nav>
    </header>
    <div id="swagger-ui"></div>
    <script src="${SCRIPT}"></script>
    <script>
      SwaggerUIBundle({ dom_id: '#swagger-ui', url: '/openapi/json', syntaxHighlight: false })
      const mend = () => {
        for (const info of document.querySelectorAll('.information-container')) {
          info.setAttribute('role', 'region')
          info.setAttribute('aria-label', 'About')
        }
        for (const table of document.querySelectorAll('table[role=region]')) table.removeAttribute('role')
        for (const example of document.querySelectorAll('pre.microlight')) example.tabIndex = 0
      }
      new MutationObserver(mend).observe(document.body, { childList: true, subtree: true })
    </script>
  </body>
</html>
`

const page = createContent(html, 'text/html; charset=utf-8')
const pageHeaders: AnswerHeaders = headersOfInlinePage(html)

// Without TypeBox's symbols: plain JSON Schema.
const plainSchemas = () => JSON.parse(JSON.stringify(apiSchemas))

const info = (version: string) => ({
  title: 'wattfeed',
  version,
  license: { name: 'MIT', identifier: 'MIT' },
  description:
    'Attested US energy statistics, read from the Casper blockchain at request time.\n\n## Requests\n\nGET only, no keys, any origin. Other methods on these paths are answered with 405, other paths with 404, more than one Host header with 400, all with an Error body. Malformed HTTP requests (400), those with a head of more than 16 KiB or about 200 headers (431), and those that are not HTTP/1.0 or 1.1 (505) are answered by the runtime, without a body or CORS headers; a method that it does not know ends the connection.',
})

/** The way back from the page. */
const externalDocs = { url: '/', description: 'The explorer: look at the feeds, and prove them' }

const tags = [
  { name: 'feeds', description: 'Readings, straight from the chain.' },
  { name: 'catalog', description: 'The datasets that EIA publishes.' },
  { name: 'service', description: 'The server itself.' },
]
