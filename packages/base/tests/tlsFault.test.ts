import { expect, test } from 'bun:test'
import { codeOfError, tlsFault } from '../src/tlsFault.ts'

const failed = (code: unknown) => Object.assign(new TypeError('https://user:pass@host failed'), { code })

test('default: the code of an error in Bun, and of its cause in Node.js', () => {
  expect(codeOfError(failed('CERT_HAS_EXPIRED'))).toBe('CERT_HAS_EXPIRED')
  expect(codeOfError(new TypeError('fetch failed', { cause: failed('ECONNRESET') }))).toBe('ECONNRESET')
  for (const other of [new Error('x'), null, 'ECONNRESET', failed(7), failed('https://user:pass@host')])
    expect(codeOfError(other)).toBeNull()
})

test.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('default: %s is a certificate that is not trusted', (code) => {
  expect(tlsFault(code)).toBe(
    `its certificate is not trusted (${code}); use a valid one, or name its authority in NODE_EXTRA_CA_CERTS`,
  )
})

test.each(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'])('default: %s is a port without TLS', (code) => {
  expect(tlsFault(code)).toBe(`no TLS on this port (${code}); use http://, or another port`)
})

test('default: other failures are not of TLS', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', null]) expect(tlsFault(code)).toBeNull()
})
