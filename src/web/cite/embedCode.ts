import { type CitedNetwork, shortTrustParams } from './verifyCommand.ts'

/** What a code shows, and what it trusts. All texts may be those of strangers. */
export interface EmbedCode {
  /** Address of the page in the frame, of `embedUrl` or `seriesEmbedUrl`. */
  readonly page: string
  readonly title: string
  readonly theme: 'auto' | 'light' | 'dark'
  /** Hash of the block that the page trusts; null if its readers cannot verify. */
  readonly trust: string | null
  readonly network: CitedNetwork
  /** In pixels; null for all that the page has. */
  readonly width: number | null
  readonly height: number
}

/** Height in pixels that the page of a chart needs at every width. */
export const EMBED_HEIGHT = 440

/** The frame may run the page's own scripts and open links in new tabs, and nothing else. */
const SANDBOX = 'allow-scripts allow-popups allow-popups-to-escape-sandbox'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeAttribute = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

export function formatEmbedCode(code: EmbedCode): string {
  const { title, width, height } = code
  const attributes: readonly [name: string, value: string][] = [
    ['src', formatEmbedSource(code)],
    ['title', title],
    ['width', width === null ? '100%' : String(width)],
    ['height', String(height)],
    ['loading', 'lazy'],
    ['sandbox', SANDBOX],
    ['referrerpolicy', 'no-referrer'],
    ['style', 'border:0'],
  ]
  return `<iframe ${attributes.map(([name, value]) => `${name}="${escapeAttribute(value)}"`).join(' ')}></iframe>`
}

/** Returns the address of the page in the frame, with its look and what it trusts. */
function formatEmbedSource({ page, theme, trust, network }: EmbedCode): string {
  const query = new URLSearchParams(theme === 'auto' ? {} : { theme })
  if (trust !== null) for (const [name, value] of shortTrustParams(trust, network)) query.set(name, value)
  const search = query.toString()
  return search === '' ? page : `${page}${page.includes('?') ? '&' : '?'}${search}`
}
