import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  describeRecipe,
  formatRecipe,
  parseEarlierUnits,
  parseRecipe,
  withoutRecipe,
} from '../../src/provenance/recipe.ts'

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((each) => each.isWellFormed())
const recipes = fc.record({
  column: text,
  unit: fc.option(text),
  facets: fc.dictionary(
    text.filter((facet) => facet !== '__proto__'),
    text,
    { maxKeys: 4 },
  ),
})

describe('formatRecipe', () => {
  test('default: column, unit, and facets in order', () => {
    const facets = { stateid: 'US', sectorid: 'ALL' }
    expect(formatRecipe({ column: 'price', unit: 'cents per kilowatt-hour', facets })).toBe(
      'eia:price;cents per kilowatt-hour;sectorid=ALL;stateid=US',
    )
  })

  test('behavior: no unit and no facet leave their places empty', () => {
    expect(formatRecipe({ column: 'value', unit: null, facets: {} })).toBe('eia:value;')
  })

  test('behavior: only separators are escaped', () => {
    expect(formatRecipe({ column: 'a;b', unit: '100 % =\n', facets: { 'x=y': '€/MWh' } })).toBe(
      'eia:a%3Bb;100 %25 %3D%0A;x%3Dy=€/MWh',
    )
  })
})

describe('parseRecipe', () => {
  test('default: the last line', () => {
    expect(parseRecipe('WTI at Cushing.\nDaily.\neia:value;$/BBL;series=RWTC')).toEqual({
      column: 'value',
      unit: '$/BBL',
      facets: { series: 'RWTC' },
    })
  })

  test.each([
    ['no recipe', 'WTI at Cushing.'],
    ['not the last line', 'eia:value;$/BBL;series=RWTC\nWTI'],
    ['no column', 'eia:;$/BBL'],
    ['no place for the unit', 'eia:value'],
    ['a facet without a value', 'eia:value;$/BBL;series'],
    ['facets out of order', 'eia:value;$/BBL;stateid=US;sectorid=ALL'],
    ['a facet twice', 'eia:value;$/BBL;series=A;series=B'],
    ['lower-case hex', 'eia:value;a%3bb'],
    ['an escape that is not needed', 'eia:value;%41'],
    ['an escape that does not decode', 'eia:value;%FF'],
  ])('error: %s is null', (_, description) => {
    expect(parseRecipe(description)).toBeNull()
  })

  test('behavior: earlier units are on a line before it, and are no part of what people read', () => {
    fc.assert(
      fc.property(recipes, fc.array(text, { minLength: 1 }), (recipe, units) => {
        const described = describeRecipe('WTI\nDaily.', recipe, units)
        expect(parseEarlierUnits(described)).toEqual(units)
        expect(parseRecipe(described)).toEqual(recipe)
        expect(withoutRecipe(described)).toBe('WTI\nDaily.')
        expect(parseEarlierUnits(describeRecipe(described, recipe))).toEqual([])
      }),
    )
    expect(parseEarlierUnits('eia-earlier-units:a\nWTI')).toEqual([])
  })

  test('behavior: every recipe and its description survive a round trip', () => {
    fc.assert(
      fc.property(recipes, fc.string(), (recipe, description) => {
        const described = describeRecipe(description, recipe)
        expect(parseRecipe(described)).toEqual(recipe)
        expect(describeRecipe(described, recipe)).toBe(described)
        expect(withoutRecipe(described)).toBe(withoutRecipe(description))
      }),
    )
  })

  test('behavior: no two texts are one recipe', () => {
    fc.assert(
      fc.property(
        recipes,
        fc.nat(),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        (recipe, at, other) => {
          const line = formatRecipe(recipe)
          const index = at % line.length
          const changed = line.slice(0, index) + other + line.slice(index + 1)
          fc.pre(changed !== line)
          expect(parseRecipe(changed)).not.toEqual(recipe)
        },
      ),
    )
  })
})
