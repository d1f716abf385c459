import Negotiator from 'negotiator'
import type { AnswerHeaders } from './headers.ts'

/** Whether the caller would rather have a page than JSON: a browser names `text/html`, a program seldom anything. */
export function prefersPage(request: Request): boolean {
  const accept = request.headers.get('accept')
  if (accept === null) return false
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(['application/json', 'text/html'])
  return best === 'text/html'
}

/** What a page may load and talk to: this server, and EIA's API with the reader's own key. */
const POLICY = [
  "default-src 'self'",
  "connect-src 'self' https://api.eia.gov",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** Headers of a page that holds no script or style of its own. */
export const pageHeaders: AnswerHeaders = headersOf(POLICY)

/**
 * Returns the headers of a page that may run the scripts and styles that it holds, each by its hash, and show images that
 * its styles hold.
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
 * Returns the headers of the verifier, which is to be saved: opened here, it runs only what it holds, by hash, and may ask any
 * server for a proof.
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
    .map(([, text = '']) => `'sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}'`)
}
