import { hash } from 'node:crypto'
import Negotiator from 'negotiator'
import type { AnswerHeaders } from './headers.ts'

/** Returns whether the client prefers a page to JSON. Browsers accept `text/html`; programs usually send no preference. */
export function prefersPage(request: Request): boolean {
  const accept = request.headers.get('accept')
  if (accept === null) return false
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(['application/json', 'text/html'])
  return best === 'text/html'
}

/** Content security policy. Pages may connect to this server, and to EIA's API with the reader's own key. */
const POLICY = [
  "default-src 'self'",
  "connect-src 'self' https://api.eia.gov",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** Headers of a page without inline scripts or styles. */
export const pageHeaders: AnswerHeaders = headersOf(POLICY)

/**
 * Returns the headers of a page that allow its inline scripts and styles by their hashes, and `data:` images.
 *
 * @see https://www.w3.org/TR/CSP3/#strict-csp
 */
export function headersOfInlinePage(html: string): AnswerHeaders {
  const allowed = (tag: string) => ["'self'", ...hashesOf(html, tag)].join(' ')
  return headersOf([
    ...POLICY,
    `script-src ${allowed('script')}`,
    `style-src ${allowed('style')}`,
    "img-src 'self' data:",
  ])
}

/**
 * Returns the headers of the verifier, a page to save. They allow only its inline scripts and styles, and requests to any server
 * for a proof.
 */
export function headersOfSavedPage(html: string): AnswerHeaders {
  return headersOf([
    "default-src 'none'",
    `script-src ${hashesOf(html, 'script').join(' ')}`,
    `style-src ${hashesOf(html, 'style').join(' ')}`,
    'connect-src http: https:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
}

/**
 * Returns the headers of a page that any other page may show in a frame. They allow its inline styles, and scripts and requests
 * of this server. They have no `frame-ancestors`, because even `*` excludes a page that is opened from a disk. A page that is
 * cross-origin isolated only shows frames that isolate themselves, too.
 *
 * @see https://html.spec.whatwg.org/multipage/browsers.html#coep
 */
export function headersOfEmbeddedPage(html: string): AnswerHeaders {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${[...new Set(hashesOf(html, 'style'))].join(' ')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ]
  return { ...headersOf(policy), 'cross-origin-embedder-policy': 'require-corp' }
}

/** Headers of an asset, whose file name contains a hash of the content. */
export const assetHeaders: AnswerHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
}

/** Inserts the notice into the HTML, so that it is visible at once and without scripts. */
export const withNotice = (page: string, notice: string | null): string =>
  notice === null
    ? page
    : page.replace('<body>', () => `<body><aside class="server-notice">${Bun.escapeHTML(notice)}</aside>`)

function headersOf(policy: readonly string[]): AnswerHeaders {
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

function hashesOf(html: string, tag: string): string[] {
  const inline = html.matchAll(new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`, 'g'))
  return [...inline]
    .filter(([, text]) => text !== '')
    .map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`)
}
