import { describe, expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { seriesPageUrl } from '../../../src/web/cite/addresses.ts'
import { findCodes } from '../../../src/web/explorer/pages/datasets/findCodes.ts'
import { seriesOf, seriesPairs } from '../../../src/web/site/seriesPath.ts'

/** Invented codes with the names of EIA. */
const codes: Readonly<Record<string, readonly [id: string | null, name: string | null][]>> = {
  sectorid: [
    ['RES', 'residential'],
    ['COM', 'commercial'],
    ['ALL', 'all sectors'],
  ],
  stateid: [
    ['CA', 'California'],
    ['NY', 'New York'],
    ['NJ', 'New Jersey'],
    ['MA', 'Massachusetts'],
    [null, null],
  ],
}

const dataset = {
  route: 'a/b',
  frequency: 'monthly',
  columns: ['price', 'sales'],
  facets: ['sectorid', 'stateid'],
}

/** Answers as the server does: the codes that have `q` in their id or name. */
function answer(input: string | URL | Request): Response {
  const { searchParams } = new URL(String(input), 'http://localhost')
  const [facet = '', q = ''] = [searchParams.get('facet') ?? '', searchParams.get('q') ?? '']
  const found = (codes[facet] ?? []).filter(([id, name]) => `${id}\n${name}`.toLowerCase().includes(q))
  return Response.json({
    ...{
      route: 'a/b',
      frequency: 'monthly',
      facet,
      feed_id: 'X',
      root: 'ab'.repeat(32),
      is_newest_root: true,
    },
    total: found.length,
    codes: found.map(([id, name]) => ({ id, name, values: 1 })),
  })
}

describe('the codes that words mean', () => {
  async function find(words: string) {
    using _ = spyOn(globalThis, 'fetch').mockImplementation(
      Object.assign(async (input: string | URL | Request) => answer(input), { preconnect: () => {} }),
    )
    const { columns, facets, unknown } = await findCodes(dataset, words, new AbortController().signal)
    const ids = Object.entries(facets).map(
      ([facet, found]) => `${facet}=${found.map(({ id }) => id).join(',')}`,
    )
    return [...columns, ...ids, ...unknown.map((word) => `${word}?`)].join(' ')
  }

  test.each([
    ['', ''],
    ['california residential', 'stateid=CA sectorid=RES'],
    ['Price CALIFORNIA', 'price stateid=CA'],
    // The code itself, although other names have these letters.
    ['ma', 'stateid=MA'],
    ['all', 'sectorid=ALL'],
    // Words of one facet narrow its codes, or else add to them.
    ['new', 'stateid=NY,NJ'],
    ['new york', 'stateid=NY'],
    ['california york', 'stateid=CA,NY'],
    ['california nothing', 'stateid=CA nothing?'],
  ])('default: %j means %j', async (words, meant) => {
    expect(await find(words)).toBe(meant)
  })
})

test('default: the address of a page names exactly its series, with any texts', () => {
  const text = fc.string({ minLength: 1 }).map((each) => each.toWellFormed().replaceAll('\0', '0'))
  const facets = fc.dictionary(fc.stringMatching(/^[A-Za-z0-9_-]+$/), fc.option(text), {
    minKeys: 1,
    maxKeys: 5,
  })
  fc.assert(
    fc.property(text, text, text, facets, (route, frequency, column, pinned) => {
      const series = { route, frequency, column, facets: { ...pinned } }
      const { searchParams } = new URL(seriesPageUrl('http://localhost', series))
      expect(seriesOf(searchParams)).toEqual(series)
      for (const [name] of seriesPairs(series)) {
        const twice = new URLSearchParams([...searchParams, [name, 'x']])
        expect(seriesOf(twice)).toBeNull()
      }
    }),
    // The id of a facet may be the name of a member that all objects have.
    { examples: [['a', 'b', 'c', Object.fromEntries([['__proto__', null]])]] },
  )
})
