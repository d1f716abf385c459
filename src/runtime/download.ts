import { codeOfError, limitTime, readText, tlsFault, uncompressed, WattfeedError } from '@wattfeed/base'
import { printable } from './printable.ts'

export interface Download {
  /** @default globalThis.fetch */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  timeoutMs: number
  maxBytes: number
  /** Creates the error from what the server did: `does not answer within 60000 ms`. */
  fail: (rule: string) => WattfeedError
}

/**
 * Downloads text over HTTP with any status. Does not follow redirects, which may lead to another host.
 *
 * @throws the error of `fail` if the response is late, too large or cut off.
 */
export function download(
  url: string,
  { fetch = globalThis.fetch, timeoutMs, maxBytes, fail }: Download,
): Promise<{ status: number; text: string }> {
  const error = () => fail(`does not answer within ${timeoutMs} ms`)
  return limitTime({ timeoutMs, error }, async ({ signal }) => {
    try {
      const response = await fetch(url, { ...uncompressed, redirect: 'manual', signal })
      const text = await readText(response, maxBytes, (reason) => fail(`sends what is ${reason}`))
      return { status: response.status, text }
    } catch (error) {
      if (error instanceof WattfeedError) throw error
      const tls = tlsFault(codeOfError(error))
      throw fail(tls === null ? 'does not answer, or closes the connection early' : `cannot be read: ${tls}`)
    }
  })
}

export const describeAnswer = ({ status, text }: { status: number; text: string }): string =>
  status >= 300 && status < 400
    ? `redirects (HTTP ${status}), which is not followed; name the URL that it leads to`
    : `answers HTTP ${status}: ${printable(text).slice(0, 300)}`
