// cspell:ignore NTERNATIONAL stra
import { describe, expect, test } from 'bun:test'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { type Dataset, datasets, findDataset, searchDatasets } from '../../src/catalog/datasets.ts'

function routesOf(found: readonly Dataset[]): string[] {
  return found.map(({ route }) => route)
}

/** The search by its definition, without lower-casing. */
function searchNaively(family: string, q: string): Dataset[] {
  const patterns = (q.match(/\S+/g) ?? []).map(
    (word) =>
      new RegExp(
        word.replace(/[^A-Za-z0-9]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
        'i',
      ),
  )
  return datasets.filter(
    ({ route, name, description }) =>
      route.slice(0, family.length) === family &&
      patterns.every((pattern) => [route, name, description].some((text) => pattern.test(text))),
  )
}

const someText = fc.constantFrom(
  ...datasets.flatMap(({ route, name, description }) => [route, name, description]),
)
const piece = fc
  .tuple(someText, fc.nat(), fc.nat({ max: 12 }))
  .map(([text, at, length]) => text.slice(at % text.length, (at % text.length) + length))
const anyCase = fc
  .tuple(piece, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }))
  .map(([text, upper]) => [...text].map((c, i) => (upper[i] ? c.toUpperCase() : c.toLowerCase())).join(''))
const family = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc
    .tuple(fc.constantFrom(...datasets), fc.nat({ max: 30 }))
    .map(([{ route }, length]) => route.slice(0, length)),
)

describe('searchDatasets', () => {
  test('default', () => {
    expect(searchDatasets()).toEqual([...datasets])
  })

  test('behavior: empty and missing words do not filter', () => {
    expect(searchDatasets({})).toEqual([...datasets])
    expect(searchDatasets({ family: '', q: '' })).toEqual([...datasets])
    expect(searchDatasets({ family: undefined, q: undefined })).toEqual([...datasets])
  })

  test('behavior: family is the start of the route', () => {
    expect(routesOf(searchDatasets({ family: 'nuclear' }))).toEqual([
      'nuclear-outages/facility-nuclear-outages',
      'nuclear-outages/generator-nuclear-outages',
      'nuclear-outages/us-nuclear-outages',
    ])
    expect(searchDatasets({ family: 'outages' })).toEqual([])
  })

  test('behavior: family is case-sensitive', () => {
    expect(routesOf(searchDatasets({ family: 'petroleum/move/railNA' }))).toEqual(['petroleum/move/railNA'])
    expect(searchDatasets({ family: 'petroleum/move/railna' })).toEqual([])
  })

  test('behavior: q is found in the route', () => {
    expect(routesOf(searchDatasets({ q: 'MOVE/RAILna' }))).toEqual(['petroleum/move/railNA'])
  })

  test('behavior: q is found in the name', () => {
    expect(routesOf(searchDatasets({ q: 'NYMEX FUTURES' }))).toContain('petroleum/pri/fut')
    expect(routesOf(searchDatasets({ q: 'exports\\imports' }))).toEqual([
      'coal/exports-imports-quantity-price',
    ])
  })

  test('behavior: q is found in the description', () => {
    expect(routesOf(searchDatasets({ q: 'cushing' }))).toEqual(['petroleum/stoc/cu'])
    expect(routesOf(searchDatasets({ q: 'Smart Meter' }))).toEqual([
      'electricity/state-electricity-profiles/meters',
    ])
  })

  test('behavior: q is words in any order, each in any of the texts', () => {
    for (const q of ['stocks cushing', ' CUSHING\tstocks ', 'tank petroleum/stoc cushing'])
      expect([q, routesOf(searchDatasets({ q }))]).toEqual([q, ['petroleum/stoc/cu']])
    expect(searchDatasets({ q: 'cushing stocks nuclear' })).toEqual([])
    expect(searchDatasets({ q: ' ' })).toEqual([...datasets])
  })

  test('behavior: no word matches from one text into the next', () => {
    const { route, name, description } = findDataset('seds') as Dataset
    for (const between of ['', '\0', '\uffff']) {
      expect(searchDatasets({ q: route + between + name })).toEqual([])
      expect(searchDatasets({ q: name + between + description })).toEqual([])
    }
  })

  test('behavior: q means no pattern', () => {
    expect(searchDatasets({ q: '.*' })).toEqual([])
    expect(searchDatasets({ q: '%25' })).toEqual([])
  })

  test('behavior: family and q both hold', () => {
    expect(routesOf(searchDatasets({ family: 'natural-gas/', q: 'seismic' }))).toEqual([
      'natural-gas/enr/seis',
    ])
  })

  test('behavior: letters whose lower case is no plain letter, and halves of a character, find nothing', () => {
    expect(searchDatasets({ q: '\u0130NTERNATIONAL' })).toEqual([])
    expect(searchDatasets({ q: 'stra\u00dfe' })).toEqual([])
    expect(searchDatasets({ q: '\ud800' })).toEqual([])
  })

  test('behavior: a sign whose lower case is a plain letter is that letter', () => {
    const kelvin = '\u212a'
    expect(searchDatasets({ q: `${kelvin}erosene` })).toEqual(searchDatasets({ q: 'kerosene' }))
  })

  test('behavior: equals the definition for pieces of the texts in any letter case', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant(''), family), anyCase, (family, q) => {
        expect(searchDatasets({ family, q })).toEqual(searchNaively(family, q))
      }),
      { numRuns: 500 },
    )
  })

  test('behavior: equals the definition for any plain text', () => {
    fc.assert(
      fc.property(family, fc.string({ unit: 'grapheme-ascii', maxLength: 3 }), (family, q) => {
        expect(searchDatasets({ family, q })).toEqual(searchNaively(family, q))
      }),
      { numRuns: 500 },
    )
  })

  test('behavior: any text gives some of the datasets, in their order, or none', () => {
    const text = fc.string({ unit: anyCharacter })
    fc.assert(
      fc.property(text, text, (family, q) => {
        const found = searchDatasets({ family, q })
        expect(datasets.filter((dataset) => found.includes(dataset))).toEqual([...found])
      }),
    )
  })
})
