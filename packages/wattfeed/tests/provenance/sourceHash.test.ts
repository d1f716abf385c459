import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { canonicalJson, hashSource, type Source } from '../../src/provenance/sourceHash.ts'
// Created with the agent that attests on the public test network.
import vectors from './sourceHashVectors.json' with { type: 'json' }

const text = fc.string({ unit: anyCharacter })
const facets = fc.dictionary(
  fc.oneof(text, fc.constantFrom('a', 'B', 'ä', 'Z', '10', '9', '__proto__')),
  text,
)
const source: fc.Arbitrary<Source> = fc.record({
  route: text,
  frequency: text,
  facets,
  period: text,
  value: text,
  unit: text,
})

describe('source hash', () => {
  test.each(vectors)('default: $source.route', ({ source, canonical_json, source_hash }) => {
    // The facets of two vectors differ. Facets can only be texts.
    const typed: Source = { ...source, facets: Object.fromEntries(Object.entries(source.facets)) }
    expect(canonicalJson(typed)).toBe(canonical_json)
    expect(hashSource(typed)).toBe(source_hash)
  })

  test('behavior: the order of the facets does not matter', () => {
    fc.assert(
      fc.property(source, (source) => {
        const reversed = Object.fromEntries(Object.entries(source.facets).reverse())
        expect(canonicalJson({ ...source, facets: reversed })).toBe(canonicalJson(source))
      }),
    )
  })

  test('behavior: the order of the members does not matter', () => {
    fc.assert(
      fc.property(source, ({ unit, value, period, facets, frequency, route }) => {
        const source = { route, frequency, facets, period, value, unit }
        expect(canonicalJson({ unit, value, period, facets, frequency, route })).toBe(canonicalJson(source))
      }),
    )
  })

  test('behavior: facets sort by code unit, not as people sort words', () => {
    const facets = { é: '1', z: '2', Z: '3', a: '4', '10': '5', '9': '6', '\u{1f600}': '7', '\uffff': '8' }
    const { facets: pairs } = JSON.parse(
      canonicalJson({ route: '', frequency: '', facets, period: '', value: '', unit: '' }),
    )
    expect(pairs).toEqual([
      ['10', '5'],
      ['9', '6'],
      ['Z', '3'],
      ['a', '4'],
      ['z', '2'],
      ['é', '1'],
      ['\u{1f600}', '7'],
      ['\uffff', '8'],
    ])
  })

  test('behavior: nothing is lost on the way', () => {
    fc.assert(
      fc.property(source, (source) => {
        const read = JSON.parse(canonicalJson(source))
        expect(Object.keys(read)).toEqual(['route', 'frequency', 'facets', 'period', 'value', 'unit'])
        expect({ ...read, facets: new Map(read.facets) }).toEqual({
          ...source,
          facets: new Map(Object.entries(source.facets)),
        })
      }),
    )
  })

  test('behavior: 32 hex digits of the SHA-256 of the UTF-8', () => {
    fc.assert(
      fc.property(source, (source) => {
        const digest = createHash('sha256').update(canonicalJson(source), 'utf8').digest('hex')
        expect(hashSource(source)).toBe(digest.slice(0, 32))
      }),
    )
  })
})
