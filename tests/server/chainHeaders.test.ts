import { expect, test } from 'bun:test'
import { createChainHeaders } from '../../src/server/chainHeaders.ts'

test('default: ETag and state root of the root that is asked for', () => {
  const chainHeaders = createChainHeaders()
  for (const root of ['aa', 'bb', 'aa']) {
    const { etag, headers } = chainHeaders(root)
    expect(etag).toBe(`"${root}"`)
    expect(headers.toJSON()).toEqual({
      etag: `"${root}"`,
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, X-Casper-State-Root, Retry-After',
      'content-type': 'application/json',
      'x-casper-state-root': root,
    })
  }
})

test('behavior: made once while the root stays the same', () => {
  const chainHeaders = createChainHeaders()
  expect(chainHeaders('aa')).toBe(chainHeaders('aa'))
})
