import { describe, expect, test } from 'bun:test'
import { type TProperties, Type } from '@sinclair/typebox'
import { textOf } from '../../../src/runtime/settings/textTypes.ts'
import { QueryError, strictParams, strictQuery } from '../../../src/server/http/strictQuery.ts'

/** Reads a URL's query like Elysia: the hook first, then the schema. */
function read(query: string, properties: TProperties): unknown {
  const route = strictQuery(properties)
  const context = { request: new Request(`http://localhost/v1/x${query}`), query: {} as unknown }
  route.transform(context)
  return route.query['~standard'].validate(context.query).value
}

const properties = {
  id: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
  even: Type.Optional(
    textOf('an even number', (text) => (Number(text) % 2 === 0 ? Number(text) / 2 : undefined)),
  ),
}

const parse = (query: string) => read(query, properties)

describe('strictQuery', () => {
  test('default: the parameters by name', () => {
    expect(parse('?limit=5&id=a+b%2Bc&order=desc&id=&id=a%26b&even=8')).toEqual({
      id: ['a b+c', '', 'a&b'],
      limit: 5,
      order: 'desc',
      even: 4,
    })
  })

  test('behavior: missing parameters stay missing', () => {
    for (const query of ['', '?', '?&&']) expect(parse(query)).toEqual({})
  })

  test.each([
    ['?limit=0', 'limit=0: it must be a whole number from 1 to 1000'],
    ['?limit=', 'limit="": it must be a whole number from 1 to 1000'],
    ['?limit', 'limit="": it must be a whole number from 1 to 1000'],
    ...['5.0', '5e0', '0x5', '%205', '%2B5'].map((text): [string, string] => [
      `?limit=${text}`,
      'it must be a whole number from 1 to 1000',
    ]),
    ['?order=up%0A', 'order="up\\n": it must be one of asc, desc'],
    ['?even=3', 'even=3: it must be an even number'],
    ['?limit=1&limit=1', 'limit=1: it takes one value; pass it only once'],
    ['?limit=x&limit=1', 'limit=1: it takes one value; pass it only once'],
    ['?id=a&id=b&id=c&id=d', 'id=d: pass it at most 3 times'],
    ['?Limit=1', 'unknown query parameter "Limit"; allowed: id, limit, order, even'],
    ['?__proto__=1', 'unknown query parameter "__proto__"; allowed: id, limit, order, even'],
    ['?=', 'unknown query parameter ""; allowed: id, limit, order, even'],
    [
      '?id=%ff',
      'id="%ff": it must be percent-encoded UTF-8, such as encodeURIComponent in JavaScript returns',
    ],
    [
      '?%zz=1',
      '"%zz"="%zz": it must be percent-encoded UTF-8, such as encodeURIComponent in JavaScript returns',
    ],
    [`?limit=${'9'.repeat(500)}`, `limit="${'9'.repeat(100)}…": it must be a whole number from 1 to 1000`],
  ])('error: %s', (query, message) => {
    expect(() => parse(query)).toThrow(QueryError)
    expect(() => parse(query)).toThrow(message)
  })

  test('error: a parameter of an endpoint without parameters', () => {
    expect(() => read('?a=1', {})).toThrow('unknown query parameter "a"; this endpoint takes none')
  })

  test('error: a parameter that must be there once', () => {
    expect(() => read('', { route: Type.String() })).toThrow(/^route: required; pass it once$/)
  })

  test('error: a list that must not be empty', () => {
    const required = { id: Type.Array(Type.String(), { minItems: 1, maxItems: 100 }) }
    expect(() => read('', required)).toThrow('id: required; pass it 1 to 100 times')
  })
})

test('strictParams > default: a path’s parameters, by the same rules', () => {
  const params = strictParams({ id: Type.String(), index: Type.Integer({ minimum: 0, maximum: 9 }) })
  const validate = params['~standard'].validate
  expect(validate({ id: 'a', index: '7' }).value).toEqual({ id: 'a', index: 7 })
  expect(() => validate({ id: 'a', index: '5.0' })).toThrow(
    'index=5.0: it must be a whole number from 0 to 9',
  )
})
