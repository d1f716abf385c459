import { formatXmlText } from '../../runtime/formatXmlText.ts'
import type { AnswerHeaders } from '../http/headers.ts'
import { headersOfEmbeddedPage } from '../http/pages.ts'
import { embedStyle } from './embedStyle.ts'

/** The start of the paths whose pages other pages may show. */
export const EMBED_PATH = '/embed/'

const sentences: Readonly<Record<number, string>> = {
  400: 'The address of this chart is not valid.',
  404: 'There is no such feed or series, or it has no value.',
  429: 'The server is busy. Please reload this page soon.',
  502: 'The server cannot read the blockchain at the moment. Please reload this page later.',
  503: 'The server is still reading the values of this feed. Please reload this page soon.',
}

/** Returns an error as a small page, because people see it inside other pages. */
export function embedErrorResponse(error: {
  status: number
  headers: AnswerHeaders
  body: { error: string }
}): Response {
  const { status, headers, body } = error
  const sentence = sentences[status] ?? 'This chart cannot be shown.'
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>No chart</title><style>${embedStyle('auto', [])}</style></head><body><main><h1>No chart</h1><p>${sentence}</p><p class="muted"><bdi>${formatXmlText(body.error)}</bdi></p></main></body></html>`
  return new Response(html, {
    status,
    headers: { ...headers, ...headersOfEmbeddedPage(html), 'content-type': 'text/html;charset=utf-8' },
  })
}
