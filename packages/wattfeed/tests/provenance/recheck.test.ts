import { describe, expect, test } from 'bun:test'
import { type EiaRow, scaleDecimal } from '@wattfeed/eia'
import fc from 'fast-check'
import { type RecheckInput, recheck, recheckArchived, sourceOf } from '../../src/provenance/recheck.ts'
import { describeRecipe, type Recipe } from '../../src/provenance/recipe.ts'
import { hashSource } from '../../src/provenance/sourceHash.ts'

const recipe: Recipe = {
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  column: 'value',
  facets: { series: 'RWTC' },
  unit: '$/BBL',
}
const feed = { decimals: 6, unit: '$/bbl', route: recipe.route, frequency: recipe.frequency }
const row: EiaRow = { period: '2026-11-16', value: '59.91', unit: '$/BBL', statedUnit: '$/BBL' }

/** An honest agent's attestation of a row. */
function attest(value: string, unit: string | null = row.unit) {
  const source_hash = hashSource(sourceOf(recipe, feed, row.period, { value, unit }))
  return { period: 20261116, amount: scaleDecimal(value, feed.decimals), source_hash }
}

const check = (input: Partial<RecheckInput>) =>
  recheck({ feed, recipe, attested: attest('59.91'), rows: [row], ...input })

describe('recheck', () => {
  test('default: the vector of the agency’s row matches, with the text that was hashed', () => {
    const attested = {
      period: 20261116,
      amount: 59_910_000n,
      source_hash: 'd40bab3b102d38fc6074ccb9317bee27',
    }
    expect(check({ attested })).toEqual({
      verdict: 'match',
      detail: '59.91 $/BBL of 2026-11-16',
      canonical_json:
        '{"route":"petroleum/pri/spt","frequency":"daily","facets":[["series","RWTC"]],"period":"2026-11-16","value":"59.91","unit":"$/BBL"}',
      source_hash: attested.source_hash,
    })
  })

  test('behavior: if rows have no unit, the feed’s is hashed', () => {
    const bare = { ...row, unit: null }
    expect(
      check({ recipe: { ...recipe, unit: null }, rows: [bare], attested: attest('59.91', null) }).verdict,
    ).toBe('match')
    expect(check({ rows: [bare], attested: attest('59.91', null) }).verdict).toBe('mismatch')
  })

  test('behavior: another value today is a revision if the earlier one fits the recipe', () => {
    expect(check({ rows: [{ ...row, value: '60.02' }] })).toMatchObject({
      verdict: 'revised',
      detail: 'EIA had 59.91 and has 60.02 today',
    })
    expect(check({ rows: [{ ...row, value: '59.910' }] }).verdict).toBe('revised')
    expect(check({ attested: attest('.306'), rows: [{ ...row, value: '0.307' }] }).verdict).toBe('revised')
  })

  test('behavior: another value today is a revision if a later attestation has it', () => {
    const attested = { ...attest('59.91'), source_hash: '0'.repeat(32) }
    const input = { attested, rows: [{ ...row, value: '60.02' }] }
    expect(check({ ...input, later: [attest('60.02')] }).verdict).toBe('revised')
    expect(check(input).verdict).toBe('undecidable')
  })

  test('behavior: a text in another form that EIA revised later is found', () => {
    const texts = ['59.9100001', '59.91000099', '59.9100000', '59.91000000000000', '5.991e1', '5.991E+01']
    for (const text of [...texts, '5991e-2'])
      expect([text, check({ attested: attest(text), rows: [{ ...row, value: '60.6' }] })]).toMatchObject([
        text,
        { verdict: 'revised', detail: `EIA had ${text} and has 60.6 today` },
      ])
    for (const [text, decimals] of [
      ['1500', 0],
      ['1.5e3', 0],
      ['15E2', 0],
      ['1.50E+03', 0],
      ['2.0E-4', 6],
      ['0.', 2],
    ] as const) {
      const scaled = { ...feed, decimals }
      const attested = { ...attest(text), amount: scaleDecimal(text, decimals) }
      const found = check({ feed: scaled, attested, rows: [{ ...row, value: '7' }] })
      expect([text, found.verdict]).toEqual([text, 'revised'])
    }
  })

  test('behavior: if the hash cannot distinguish an earlier text of EIA from a false one, the verdict is undecidable', () => {
    const attested = attest('59.92000012345')
    for (const value of ['59.91000012345', '59.9', '59.92'])
      expect(check({ attested, rows: [{ ...row, value }] })).toMatchObject({
        verdict: 'undecidable',
        detail: expect.stringContaining(`EIA has ${value} $/BBL today`),
      })
  })

  test('behavior: after a change of the unit’s words, the units of recipe and description are tried', () => {
    const today = [{ ...row, unit: '$/bbl', statedUnit: '$/bbl' }]
    expect(check({ rows: today })).toMatchObject({
      verdict: 'match',
      detail: '59.91 $/BBL of 2026-11-16; EIA writes the unit as $/bbl today',
    })
    const renamed = { ...recipe, unit: '$/bbl' }
    expect(check({ recipe: renamed, rows: today }).verdict).toBe('undecidable')
    const description = describeRecipe('WTI', renamed, ['dollars', '$/BBL'])
    const remembered = { recipe: renamed, feed: { ...feed, description } }
    expect(check({ ...remembered, rows: today }).verdict).toBe('match')
    expect(check({ ...remembered, rows: [{ ...today[0], value: '60.02' } as EiaRow] }).verdict).toBe(
      'revised',
    )
  })

  test('behavior: no row, null and words are withdrawn', () => {
    for (const gone of [[], [{ ...row, value: null }], [{ ...row, value: 'NA' }]])
      expect(check({ rows: gone }).verdict).toBe('withdrawn')
  })

  test('behavior: without a recipe, EIA cannot be queried', () => {
    expect(check({ recipe: null }).verdict).toBe('unknown_recipe')
  })

  test('behavior: of several rows of a period, the hash identifies the attested one', () => {
    const others = ['1', '2'].map((value) => ({ ...row, value }))
    expect(check({ rows: [...others, row] }).verdict).toBe('match')
    expect(check({ rows: others }).verdict).toBe('revised')
  })

  test('error: an amount that is not the row’s', () => {
    expect(check({ attested: { ...attest('59.91'), amount: 59_910_001n } })).toMatchObject({
      verdict: 'mismatch',
      detail: "the row's 59.91 scales to 59910000, but 59910001 was attested",
    })
  })

  test('error: every change of a single character in row or recipe', () => {
    const texts = {
      ...recipe,
      series: recipe.facets.series ?? '',
      period: row.period,
      value: row.value ?? '',
    }
    // The hash does not cover the column, as the documentation says.
    const names = (['route', 'frequency', 'unit', 'series', 'period', 'value'] as const).map((name) => name)
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (name, at, other) => {
          const text = texts[name] ?? ''
          const changed = text.slice(0, at % text.length) + other + text.slice((at % text.length) + 1)
          fc.pre(changed !== text)
          expect(verdictWith(name, changed)).not.toBe('match')
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

function verdictWith(name: string, text: string): string {
  const facets = name === 'series' ? { series: text } : recipe.facets
  const changedRecipe = {
    ...recipe,
    facets,
    ...(name === 'route' || name === 'frequency' || name === 'unit' ? { [name]: text } : {}),
  }
  const changedRow = name === 'period' || name === 'value' ? { ...row, [name]: text } : row
  try {
    return check({ recipe: changedRecipe, rows: [changedRow] }).verdict
  } catch {
    return 'no period'
  }
}

describe('recheckArchived', () => {
  const source = sourceOf(recipe, feed, row.period, { value: '59.91', unit: '$/BBL' })

  test('default: the archived source always matches', () => {
    expect(recheckArchived(source, feed, attest('59.91')).verdict).toBe('match')
  })

  test('error: another value is no revision', () => {
    expect(recheckArchived({ ...source, value: '60.02' }, feed, attest('59.91')).verdict).toBe('mismatch')
  })

  test('error: a source of another feed or period', () => {
    for (const other of [{ route: 'petroleum/pri/gnd' }, { frequency: 'weekly' }, { period: '2026-11-13' }])
      expect(recheckArchived({ ...source, ...other }, feed, attest('59.91')).verdict).toBe('mismatch')
  })
})
