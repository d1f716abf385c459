import { describe, expect, test } from 'bun:test'
import { describeSite, requireOrigin } from '../../src/server/publicSite.ts'

describe('describeSite', () => {
  test.each([
    ['casper', true],
    ['casper-test', true],
    ['casper-net-1', false],
    ['wattfeed-demo', false],
  ])('default: whether the values on %s are real: %p', (chainName, isPublicChain) => {
    expect(describeSite(null, chainName)).toEqual({ origin: null, isPublicChain })
  })
})

describe('requireOrigin', () => {
  test('default: the origin', () => {
    expect(requireOrigin(describeSite('https://feeds.example.com', 'casper'), '/sitemap.xml')).toBe(
      'https://feeds.example.com',
    )
  })

  test('error: without PUBLIC_URL the message names the path and the setting', () => {
    expect(() => requireOrigin(describeSite(null, 'casper'), '/sitemap.xml')).toThrow(
      '/sitemap.xml has absolute addresses, and this server does not know its own; its operator can set PUBLIC_URL',
    )
  })
})
