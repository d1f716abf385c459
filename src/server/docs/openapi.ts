import { readFile } from 'node:fs/promises'
import { lazy } from '@wattfeed/base'
import { type AnyElysia, Elysia } from 'elysia'
import swaggerPath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import scriptPath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import manifest from '../../../package.json' with { type: 'json' }
import framePath from '../../web/site/frame.css' with { type: 'file' }
import { headerHtml } from '../../web/site/headerHtml.ts'
import tokensPath from '../../web/site/tokens.css' with { type: 'file' }
import { apiSchemas, describeErrors, errorAnswers, hidden } from '../http/apiDocs.ts'
import { contentResponse, createContent } from '../http/content.ts'
import type { AnswerHeaders } from '../http/headers.ts'
import { headersOfInlinePage } from '../http/pages.ts'
import { type StrictSchema, VENDOR } from '../http/strictSchema.ts'
import { headOfFile, robotsHeaders, withHead } from '../pages/pageHead.ts'
import type { PublicSite } from '../publicSite.ts'
import ownPath from './openapi.css' with { type: 'file' }

const STYLE = '/openapi/swagger-ui.css'
const SCRIPT = '/openapi/swagger-ui-bundle.js'

const CACHED = { 'cache-control': 'public, max-age=3600' }

/** `GET /openapi/json`, and the page `GET /openapi`, which loads no files from other hosts. */
export function openapi(site: PublicSite) {
  const head = headOfFile(site, '/openapi')
  const page = createContent(withHead(html, head), 'text/html; charset=utf-8')
  const headers = { ...pageHeaders, ...robotsHeaders(head) }
  const app = new Elysia({ name: 'openapi' })
  const document = lazy(() => describe(app, site))
  return app
    .get(STYLE, async ({ request }) => contentResponse(request, await style(), CACHED), hidden)
    .get(SCRIPT, async ({ request }) => contentResponse(request, await script(), CACHED), hidden)
    .get('/openapi', ({ request }) => contentResponse(request, page, headers), hidden)
    .get('/openapi/json', async () => document(), hidden)
}

/** Describes all endpoints. The library takes longer to load than most others, so it waits for the first request. */
async function describe(app: AnyElysia, { origin }: PublicSite): Promise<object> {
  const { toOpenAPISchema } = await import('@elysiajs/openapi')
  // By default, the library omits every path with a dot.
  const { paths, components } = toOpenAPISchema(app, { staticFile: false }, undefined, {
    [VENDOR]: ({ json }: StrictSchema<unknown>) => withoutRules(json),
  })
  for (const path of Object.values(paths as Record<string, { get?: Operation }>))
    if (path.get?.parameters?.some(({ name }) => name === 'if-match'))
      Object.assign(path.get.responses, describeErrors({ 412: errorAnswers[412] }))
  return {
    info,
    tags,
    ...(origin === null ? {} : { externalDocs: { ...explorer, url: `${origin}/explorer` } }),
    security: [],
    components: { schemas: { ...components.schemas, ...nameSchemas(apiSchemas) } },
    openapi: '3.1.2',
    paths,
  }
}

interface Operation {
  readonly parameters?: readonly { readonly name: string }[]
  readonly responses: object
}

/** Removes `error`, which is not a JSON Schema keyword. */
const withoutRules = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema, (name, value) => (name === 'error' ? undefined : value)))

const style = lazy(async () => createContent(await openapiStyle(), 'text/css; charset=utf-8'))
const script = lazy(async () =>
  createContent(await Bun.file(scriptPath).bytes(), 'text/javascript; charset=utf-8'),
)

/** Returns the CSS of the API page: Swagger's own, adapted to the explorer, with dark mode by `prefers-color-scheme`. */
async function openapiStyle(): Promise<string> {
  const [swagger, ...own] = await Promise.all(
    [swaggerPath, tokensPath, framePath, ownPath].map((path) => readFile(path, 'utf8')),
  )
  return [swagger, darkByScheme(swagger ?? ''), ...own].join('\n')
}

const DARK_RULE = /[^{}]*html\.dark-mode[^{}]*\{[^{}]*\}/g

/** Replaces Swagger's class for dark mode, which only a script of its standalone page sets, by a media query. */
function darkByScheme(css: string): string {
  const rules = css.match(DARK_RULE) ?? []
  return `@media (prefers-color-scheme: dark) {${rules.join('').replaceAll('html.dark-mode', 'html:root')}}`
}

// Highlighted examples would set their own colors in attributes. The script fixes what Swagger has no option for: text outside
// of every landmark, tables that are landmarks without a name, and scrolling examples that a keyboard cannot reach.
const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="Interactive documentation of the HTTP API of wattfeed.">
    <title>API · wattfeed</title>
    <link rel="icon" href="/favicon.ico">
    <link rel="stylesheet" href="${STYLE}">
  </head>
  <body>
    ${headerHtml('/openapi')}
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

const pageHeaders: AnswerHeaders = headersOfInlinePage(html)

/** Members whose value is no schema. */
const VALUES = new Set(['examples', 'default', 'const', 'enum'])

/** Returns the schema with its constants as one `enum`, because generators of clients misread a union of them. */
function withEnum<T extends { anyOf?: readonly Constant[] }>(schema: T): object {
  const { anyOf = [], ...rest } = schema
  const constants = anyOf.filter((each) => each.const !== undefined)
  if (constants.length < 2) return schema
  const values = { type: constants[0]?.type, enum: constants.map((each) => each.const) }
  const others = anyOf.filter((each) => each.const === undefined)
  return others.length === 0 ? { ...rest, ...values } : { ...rest, anyOf: [values, ...others] }
}

interface Constant {
  readonly const?: unknown
  readonly type?: unknown
}

/** The only pattern of names, which TypeBox has for a record. */
const ANY_NAME = '^(.*)$'

/** Returns the schemas, and each that has a title within one of them. A reference takes its place there. */
export function nameSchemas(schemas: Readonly<Record<string, object>>): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  const membersOf = (schema: object): object =>
    Object.fromEntries(
      Object.entries(withEnum(schema)).map(([name, value]) => {
        if (VALUES.has(name)) return [name, value]
        // Of any name: as generators of clients know it.
        if (name === 'patternProperties') return ['additionalProperties', reference(value[ANY_NAME])]
        return [name, reference(value)]
      }),
    )
  const add = (name: string, schema: { title?: unknown }): void => {
    if (Object.hasOwn(found, name)) return
    // Its place in the order.
    found[name] = null
    const { title: _, ...members } = schema
    found[name] = membersOf(members)
  }
  const reference = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reference)
    if (typeof value !== 'object' || value === null) return value
    const { title } = value as { title?: unknown }
    // A property may have this name, too.
    if (typeof title !== 'string') return membersOf(value)
    add(title, schemas[title] ?? value)
    return { $ref: `#/components/schemas/${title}` }
  }
  for (const [name, schema] of Object.entries(schemas)) add(name, schema)
  // Without TypeBox's symbols, which are not JSON Schema.
  return JSON.parse(JSON.stringify(found))
}

const info = {
  title: 'wattfeed',
  description: [
    'Attested US energy statistics, read from the Casper blockchain at request time.',
    '## Requests',
    'Use GET. No key is needed, and any origin may read. Errors have an Error body: 405 for another method, 404 for an unknown path, 400 for more than one Host header.',
    'Below `/eia/v2/`, the server answers as the API v2 of EIA does, with its parameters, bodies and errors: see `/docs/eia-api`.',
    'The HTTP runtime rejects some requests without a body or CORS headers. The status is 400 if the request is malformed, 431 if its head exceeds 16 KiB or about 200 headers, and 505 if it is not HTTP/1.0 or 1.1. The runtime closes the connection if it does not know the method.',
  ].join('\n\n'),
  version: manifest.version,
  license: { name: 'MIT', identifier: 'MIT' },
}

const explorer = { description: 'The explorer: browse the feeds and check their proofs' }

const tags = [
  { name: 'feeds', description: 'Readings from the chain.' },
  { name: 'series', description: 'Any series of a whole dataset, by one root on the chain.' },
  { name: 'catalog', description: 'The datasets that EIA publishes.' },
  { name: 'service', description: 'The server itself.' },
]
