import { readFile } from 'node:fs/promises'
import { lazy } from '@wattfeed/base'
import basePath from '../../web/site/base.css' with { type: 'file' }
import { feedHref, feedIdOf } from '../../web/site/feedPath.ts'
import framePath from '../../web/site/frame.css' with { type: 'file' }
import { headerHtml } from '../../web/site/headerHtml.ts'
import tokensPath from '../../web/site/tokens.css' with { type: 'file' }
import { type AnswerHeaders, commonHeaders } from '../http/headers.ts'
import { headersOfInlinePage, prefersPage, withNotice } from '../http/pages.ts'
import { urlPath } from '../http/paths.ts'
import { explorerPages, placesHtml, suggestionHtml } from '../pages/explorerPages.ts'

/** Paths that only programs request. */
const FOR_PROGRAMS = /^\/(v1|health|explorer\/assets)(\/|$)/

/** Returns whether people may get a page instead of the JSON error of an unknown path. */
export function mayBePage({ method, url }: Request): boolean {
  return ['GET', 'HEAD'].includes(method) && !FOR_PROGRAMS.test(decodeURIComponent(urlPath(url)))
}

/**
 * Returns the response to a person who requests an unknown path; null for a program. If the explorer has a page at this path below
 * `/explorer`, it is a redirect there, otherwise a page with links.
 *
 * @param headers of the JSON error
 * @param notice above the page
 */
export async function unknownPageResponse(
  request: Request,
  headers: AnswerHeaders,
  notice: string | null,
): Promise<Response | null> {
  if (!mayBePage(request) || !prefersPage(request)) return null
  const path = urlPath(request.url)
  const page = explorerPath(path)
  if (page !== null) {
    const { search } = new URL(request.url, 'http://localhost')
    const location = `${page}${search}`
    return new Response(null, {
      status: 302,
      headers: { ...commonHeaders, location, vary: 'Accept', 'cache-control': 'no-cache' },
    })
  }
  const html = withNotice(formatPage(path, await style()), notice)
  return new Response(html, {
    status: 404,
    headers: {
      ...headers,
      ...headersOfInlinePage(html),
      'content-type': 'text/html;charset=utf-8',
      vary: 'Accept',
    },
  })
}

/** Returns the path of the explorer's page for a path without `/explorer`; null if there is none. */
function explorerPath(path: string): string | null {
  const below = `/explorer${path.replace(/\/$/, '')}`
  if (below === '/explorer/feeds') return '/'
  const feedId = feedIdOf(below)
  if (feedId !== null) return feedHref(feedId)
  return explorerPages.find((page) => page.path === below)?.path ?? null
}

const style = lazy(async () => {
  const texts = await Promise.all([tokensPath, basePath, framePath].map((path) => readFile(path, 'utf8')))
  return [...texts, '.places dd{margin:0 0 .75rem}'].join('\n')
})

const MAX_SHOWN_LENGTH = 200

function formatPage(path: string, css: string): string {
  const shown = path.length > MAX_SHOWN_LENGTH ? `${path.slice(0, MAX_SHOWN_LENGTH)}…` : path
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>No such page · wattfeed</title>
<link rel="icon" href="/favicon.ico">
<style>${css}</style>
</head>
<body>
${headerHtml(null)}
<main>
<h1>There is no page at this address</h1>
<p>This server has nothing at <code>${Bun.escapeHTML(shown)}</code>.</p>
${suggestionHtml(path)}
<p>These pages exist:</p>
${placesHtml}
</main>
</body>
</html>
`
}
