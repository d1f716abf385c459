import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_X_PARAMS, parseEiaParameters } from '../../src/api/eiaParameters.ts'

const parse = (query: string, header: unknown = null) =>
  parseEiaParameters(
    new URLSearchParams(query),
    header === null || typeof header === 'string' ? header : JSON.stringify(header),
  )

describe('parseEiaParameters', () => {
  test('default: the parameters that clients send', () => {
    const query =
      'api_key=k&frequency=monthly&data[0]=price&data[]=sales&facets[stateid][]=CA&facets[stateid][]=NY&facets[sectorid][0]=RES' +
      '&start=2025-01&end=2025-12&sort[0][column]=period&sort[0][direction]=desc&sort[1][column]=stateid&offset=5&length=10&other=1'
    expect(parse(query)).toEqual({
      ...{ api_key: 'k', frequency: 'monthly', data: ['price', 'sales'] },
      facets: { stateid: ['CA', 'NY'], sectorid: ['RES'] },
      ...{ start: '2025-01', end: '2025-12', offset: '5', length: '10' },
      sort: [{ column: 'period', direction: 'desc' }, { column: 'stateid' }],
    })
    expect(parse('')).toEqual({})
  })

  test('behavior: shorter forms mean the same', () => {
    expect(parse('data=price&facets[stateid]=CA')).toEqual({ data: ['price'], facets: { stateid: ['CA'] } })
  })

  test('behavior: the numbers of a sort are its order, whatever they are', () => {
    const query = 'sort[4000000000][column]=c&sort[1][column]=b&sort[][column]=a&sort[1][direction]=asc'
    expect(parse(query)?.sort).toEqual([{ column: 'a' }, { column: 'b', direction: 'asc' }, { column: 'c' }])
    expect(parse('sort[x][column]=a&sort[y][wrong]=b&sort=c')?.sort).toEqual([{ column: 'a' }])
  })

  test('behavior: a facet may have the name of a member of objects', () => {
    const facets = parse('facets[__proto__][]=a&facets[constructor][]=b')?.facets
    expect(Object.entries(facets ?? {})).toEqual([
      ['__proto__', ['a']],
      ['constructor', ['b']],
    ])
  })

  test('default: the header has the same as JSON, with numbers as texts', () => {
    const header = {
      ...{ frequency: 'monthly', data: ['price'], facets: { stateid: ['CA'], sectorid: 'RES' } },
      ...{ start: '2025-01', end: null, sort: [{ column: 'period', direction: 'desc' }] },
      ...{ offset: 5, length: 10, other: { a: 1 }, api_key: 'k' },
    }
    expect(parse('', header)).toEqual({
      ...{ frequency: 'monthly', data: ['price'], facets: { stateid: ['CA'], sectorid: ['RES'] } },
      ...{ start: '2025-01', sort: [{ column: 'period', direction: 'desc' }], offset: '5', length: '10' },
    })
  })

  test('behavior: a parameter of the query replaces that of the header', () => {
    const header = { frequency: 'monthly', data: ['price'], facets: { stateid: ['CA'] }, offset: 5 }
    expect(parse('api_key=k&data[]=sales&facets[sectorid][]=RES&frequency=annual', header)).toEqual({
      ...{ api_key: 'k', data: ['sales'], facets: { sectorid: ['RES'] }, frequency: 'annual', offset: '5' },
    })
  })

  test('behavior: a facet in the header may have any name, which a server then refuses', () => {
    const header = {
      'data[0]': 'price',
      facets: { 'a]b': ['x'], 'stateid][': 'CA', '': 'y', a: { b: { c: 'z' } } },
    }
    expect(parse('', header)).toEqual({
      data: ['price'],
      facets: { 'a]b': ['x'], 'stateid][': ['CA'], '': ['y'] },
    })
  })

  test('behavior: names and values of both can be changed', () => {
    const query = new URLSearchParams('data[]=a&facets[a][]=a')
    const change = (text: string) => text.replace(/^a$|(?<=\[)a/, 'b')
    expect(parseEiaParameters(query, '{"start":"a"}', change)).toEqual({
      ...{ data: ['b'], facets: { b: ['b'] }, start: 'b' },
    })
  })

  test.each([
    ['no JSON', '{'],
    ['an empty text', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"a"'],
    ['a longer text', JSON.stringify({ start: 'x'.repeat(MAX_X_PARAMS) })],
    ['deep nesting', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`],
  ])('error: a header with %s', (_, header) => {
    expect(parse('frequency=monthly', header)).toBeNull()
  })

  test('behavior: no query and no header throws, and each value stays a text', () => {
    const isText = (value: unknown) => typeof value === 'string'
    const name = fc.constantFrom('frequency', 'data', 'data[0]', 'facets[a][]', 'sort[1][column]', 'sort[b]')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.oneof(name, fc.string()), fc.string())),
        fc.oneof(fc.json(), fc.string(), fc.constant(null)),
        (query, header) => {
          const parameters = parseEiaParameters(new URLSearchParams(query), header)
          if (parameters === null) return
          const { data = [], facets = {}, sort = [], ...plain } = parameters
          const texts = [...data, ...Object.values(facets).flat(), ...Object.values(plain)]
          expect([...texts, ...sort.flatMap((by) => Object.values(by))].every(isText)).toBeTrue()
        },
      ),
    )
  })
})
