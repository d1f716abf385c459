import { expect, test } from 'bun:test'
import { decodePath, PathEncodingError } from '../../src/server/pathEncoding.ts'

for (const [path, decoded] of [
  ['a+b', 'a+b'],
  ['%2B%2f%C3%A9', '+/é'],
  ['%', null],
  ['%4', null],
  ['%C3%28', null],
  ['%ED%A0%80', null],
] as const)
  test(`default: ${path} is ${JSON.stringify(decoded)}`, () => expect(decodePath(path)).toBe(decoded))

test('error: PathEncodingError keeps the path as it was sent', () => {
  const { code, retryable, path } = new PathEncodingError('%ff')
  expect({ code, retryable, path }).toEqual({ code: 'path_encoding', retryable: false, path: '%ff' })
})
