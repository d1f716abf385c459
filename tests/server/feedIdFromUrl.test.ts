import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { feedIdFromUrl } from '../../src/server/feedIdFromUrl.ts'
import { PathEncodingError } from '../../src/server/pathEncoding.ts'

test('default: any id comes back from encodeURIComponent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (id) => {
      expect(feedIdFromUrl(`http://localhost/v1/feeds/${encodeURIComponent(id)}?x=1`)).toBe(id)
    }),
  )
})

test('behavior: any percent-encoded bytes are an id or a PathEncodingError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
      const encoded = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      const expected = decodeUtf8(bytes)
      const read = () => feedIdFromUrl(`http://localhost/v1/feeds/${encoded}`)
      if (expected === null) expect(read).toThrow(PathEncodingError)
      else expect(read()).toBe(expected)
    }),
  )
})

test('behavior: the host does not matter, nor that there is none', () => {
  for (const origin of ['http://a', 'http://[::1]:4030', 'https://db.example:1', ''])
    expect(feedIdFromUrl(`${origin}/v1/feeds/a%2Fb`)).toBe('a/b')
})

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
