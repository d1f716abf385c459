import { describe, expect, test } from 'bun:test'
import { integer, oneOf, path } from '../../src/runtime/parsers.ts'
import { parseQuery, QueryError } from '../../src/server/query.ts'

const parameters = {
  id: { each: path, max: 3 },
  limit: integer(1, 1_000),
  order: oneOf(['asc', 'desc']),
}

const parse = (query: string) => parseQuery(`http://localhost/v1/x${query}`, parameters)

describe('parseQuery', () => {
  test('default: what is asked for, by name', () => {
    expect(parse('?limit=5&id=a+b%2Bc&order=desc&id=&id=a%26b')).toEqual({
      id: ['a b+c', '', 'a&b'],
      limit: 5,
      order: 'desc',
    })
  })

  test('behavior: what is missing is null, or an empty list', () => {
    for (const query of ['', '?', '?&&']) expect(parse(query)).toEqual({ id: [], limit: null, order: null })
  })

  test.each([
    ['?limit=0', 'limit=0: it must be a whole number from 1 to 1000'],
    ['?limit=', 'limit="": it must be a whole number from 1 to 1000'],
    ['?limit', 'limit="": it must be a whole number from 1 to 1000'],
    ['?order=up%0A', 'order="up\\n": it must be one of asc, desc'],
    ['?limit=1&limit=1', 'limit=1: give it once'],
    ['?id=a&id=b&id=c&id=d', 'id=d: give it at most 3 times'],
    ['?Limit=1', 'Limit=1: there is no such parameter, known are id, limit, order'],
    ['?__proto__=1', '__proto__=1: there is no such parameter, known are id, limit, order'],
    ['?=', '""="": there is no such parameter, known are id, limit, order'],
    ['?id=%ff', 'id="%ff": it must be percent-encoded UTF-8: encodeURIComponent in JavaScript writes it so'],
    [
      '?%zz=1',
      '"%zz"="%zz": it must be percent-encoded UTF-8: encodeURIComponent in JavaScript writes it so',
    ],
    [`?limit=${'9'.repeat(500)}`, `limit="${'9'.repeat(100)}…": it must be a whole number from 1 to 1000`],
  ])('error: %s', (query, message) => {
    expect(() => parse(query)).toThrow(QueryError)
    expect(() => parse(query)).toThrow(message)
  })

  test('error: a parameter where there are none', () => {
    expect(() => parseQuery('http://localhost/v1/x?a=1', {})).toThrow('a=1: there are no parameters here')
  })
})
