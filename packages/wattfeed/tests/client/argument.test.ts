import { describe, expect, test } from 'bun:test'
import { InvalidArgumentError } from '@wattfeed/base'
import fc from 'fast-check'
import { assertFeedId, assertIndex, parseHttpUrl, parsePackageHash } from '../../src/client/argument.ts'
import { parseClientOptions } from '../../src/client/clientOptions.ts'

const hash = '554b659ded7e832604c23bb9f9bc2147da30ea11a4e4730618bd0fb1b967fd76'

/** Returns the error that `check` throws; null if it throws none. */
function thrown(check: () => unknown): unknown {
  try {
    check()
    return null
  } catch (error) {
    return error
  }
}

describe('assertFeedId', () => {
  test('default: any text that UTF-8 can hold', () => {
    for (const feedId of ['', 'EIA.PET.PRICE.WTI.DAILY', 'test/odd id?#%&+ é', '🚀', '\0', '\ufeff'])
      assertFeedId(feedId)
  })

  test('error: a lone surrogate, or no text at all', () => {
    const rule = 'a string without lone surrogates, because the chain stores UTF-8'
    for (const feedId of ['\ud800', 'a\udc00b', 7, null, undefined, ['A']] as string[])
      expect(thrown(() => assertFeedId(feedId))).toEqual(new InvalidArgumentError('feedId', rule))
  })

  test('behavior: it agrees with UTF-8 on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '\ud83d', '\ude80') }), (feedId) => {
        const survives = new TextDecoder().decode(new TextEncoder().encode(feedId)) === feedId
        expect(thrown(() => assertFeedId(feedId)) === null).toBe(survives)
      }),
    )
  })
})

describe('assertIndex', () => {
  test('default', () => {
    for (const index of [0, 1, 2 ** 53 - 1]) assertIndex('index', index)
  })

  test('error: it counts nothing', () => {
    for (const index of [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '0', 0n, null] as number[])
      expect(thrown(() => assertIndex('from', index))).toEqual(
        new InvalidArgumentError('from', `an integer from 0 to 2^53 - 1, not ${index}`),
      )
  })
})

describe('parsePackageHash', () => {
  test('default: with and without its prefix, in either case', () => {
    for (const text of [hash, `hash-${hash}`, hash.toUpperCase(), `hash-${hash.toUpperCase()}`])
      expect(parsePackageHash('packageHash', text)).toBe(hash)
  })

  test('error: it is not a package hash', () => {
    const rule = '64 hex digits, with or without "hash-" before them'
    const others = [
      '',
      'hash-',
      hash.slice(1),
      `${hash}0`,
      `contract-package-${hash}`,
      ` ${hash}`,
      `${hash}\n`,
    ]
    for (const text of [...others, `${'g'.repeat(64)}`, null, 7] as string[])
      expect(thrown(() => parsePackageHash('packageHash', text))).toEqual(
        new InvalidArgumentError('packageHash', rule),
      )
  })
})

describe('parseHttpUrl', () => {
  test('default: the URL as it was given', () => {
    for (const url of ['http://127.0.0.1:11101/rpc', 'https://user:pass@node.test', 'HTTPS://NODE.TEST/rpc'])
      expect(parseHttpUrl('rpcUrls', url)).toBe(url)
  })

  test('error: it is no URL of a node, and the message does not repeat it', () => {
    const others = [
      '',
      'node.test:7777',
      '/rpc',
      'http://',
      'ws://user:secret@node.test',
      'https://user:secret@',
    ]
    for (const url of others)
      expect(thrown(() => parseHttpUrl('rpcUrls', url))).toEqual(
        new InvalidArgumentError('rpcUrls', 'a URL that starts with http:// or https://'),
      )
  })
})

describe('rpcAuthorization', () => {
  const rpcUrls = ['https://node.test/rpc', 'http://user:pass@other.test:8080/rpc']
  const faultOf = (rpcAuthorization: object) =>
    thrown(() => parseClientOptions({ rpcUrls, rpcAuthorization: Object(rpcAuthorization) }))

  test('default: a header for the host of a URL', () => {
    const rpcAuthorization = { 'node.test': 'Bearer a1b2' }
    expect(parseClientOptions({ rpcUrls, rpcAuthorization }).authorization).toEqual(rpcAuthorization)
  })

  test.each([
    [{ 'evil.test': 's3cret' }, 'rpcAuthorization.evil.test must be for a host of rpcUrls'],
    [{ 'other.test': 's3cret' }, 'rpcAuthorization.other.test must be for a host of rpcUrls'],
    [{ 'node.test': 7 }, 'rpcAuthorization.node.test must be of type string'],
  ])('error: %p, and the message does not repeat the value', (given, message) => {
    const error = faultOf(given)
    expect(error).toMatchObject({ code: 'invalid_argument', message })
    expect(String(error)).not.toContain('s3cret')
  })
})
