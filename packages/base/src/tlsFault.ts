import { memberAt } from './bytes/memberAt.ts'

/** Returns the code of an error, or of its cause: `ECONNREFUSED`; null if it has none. Unlike the message, it never quotes a URL. */
export function codeOfError(error: unknown): string | null {
  const codes = [memberAt(error, 'code'), memberAt(error, 'cause', 'code')]
  const isCode = (code: unknown): code is string => typeof code === 'string' && /^[A-Za-z_]{1,60}$/.test(code)
  return codes.find(isCode) ?? null
}

/** The codes of OpenSSL's checks of a certificate, in Bun and in Node.js. Browsers name no code. */
const CERTIFICATE = /CERT|LEAF/

/** `https://` to a port that speaks HTTP: in Bun, and in Node.js. */
const NO_TLS = /EPROTO|SSL_WRONG/

/** Returns what is wrong with a server's TLS, and the fix, by the code of the error that `fetch` throws; null if it is not TLS. */
export function tlsFault(code: string | null): string | null {
  if (code === null) return null
  if (CERTIFICATE.test(code))
    return `its certificate is not trusted (${code}); use a valid one, or name its authority in NODE_EXTRA_CA_CERTS`
  if (NO_TLS.test(code)) return `no TLS on this port (${code}); use http://, or another port`
  return null
}
