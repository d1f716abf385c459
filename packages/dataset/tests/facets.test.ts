// cspell:ignore Califronia
import { describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { checkSnapshot, folderFiles, writeTree } from '../src/disk/index.ts'
import {
  createCodeCounter,
  FACETS,
  type FacetCode,
  findUnknownCode,
  formatFacets,
  MAX_FACETS_BYTES,
  nearestCode,
  parseFacets,
} from '../src/facets.ts'
import { inventLeaves, snapshotOf, sorted } from './snapshotOf.ts'

const leafOf = (product: string | null) => ({ facets: { product } })

const countOf = (
  products: readonly (string | null)[],
  nameOf?: (facet: string, code: string) => string | null,
) => {
  const counter = createCodeCounter(['product'])
  for (const product of products) counter.add(leafOf(product))
  return counter.facets(nameOf)
}

describe('the codes of a snapshot', () => {
  test('default: each code of each facet, with its name and the number of its leaves', async () => {
    using folder = createFolder('in memory')
    const leaves = sorted(inventLeaves(14))
    await writeTree(folder.path, leaves, (facet, code) => (facet === 'product' ? `Product ${code}` : null))
    const text = readFileSync(join(folder.path, FACETS), 'utf8')
    const [product, series] = parseFacets(text, { facets: ['product', 'series'], size: leaves.length })
    expect(product).toEqual({
      id: 'product',
      codes: ['P0', 'P1', 'P2', 'P3', 'P4', 'P5', 'P6'].map((id) => ({
        id,
        name: `Product ${id}`,
        values: leaves.filter((leaf) => leaf.facets.product === id).length,
      })),
    })
    expect([series?.id, series?.codes?.length, series?.codes?.[1]]).toEqual([
      'series',
      14,
      { id: 'S00001', name: null, values: 2 },
    ])
  })

  test('behavior: leaves without a code are counted first, and names that cannot be shown are left out', () => {
    const names: Record<string, string> = { A: '', B: 'x'.repeat(301), C: 'a\0b', D: 'Delta', E: '\ud800' }
    expect(countOf(['E', 'D', 'C', 'B', 'A', null, 'D'], (_, code) => names[code] ?? null)).toEqual([
      {
        id: 'product',
        codes: [
          { id: null, name: null, values: 1 },
          { id: 'A', name: null, values: 1 },
          { id: 'B', name: null, values: 1 },
          { id: 'C', name: null, values: 1 },
          { id: 'D', name: 'Delta', values: 2 },
          { id: 'E', name: null, values: 1 },
        ],
      },
    ])
  })

  test('behavior: a facet whose codes are too many or too long lists none', () => {
    const many = Array.from({ length: 50_001 }, (_, index) => `P${index}`)
    expect(countOf(many)).toEqual([{ id: 'product', codes: null }])
    expect(countOf(many.slice(1))[0]?.codes).toHaveLength(50_000)
    expect(countOf(['A', 'x'.repeat(301)])).toEqual([{ id: 'product', codes: null }])
  })

  test('behavior: the largest facets are left out of a file that would be too large', () => {
    const code = (index: number, length: number): FacetCode => ({
      id: `${String(index).padStart(5, '0')}${'x'.repeat(length)}`,
      name: null,
      values: 1,
    })
    const small = { id: 'small', codes: [code(0, 0)] }
    const large = { id: 'large', codes: Array.from({ length: 20_000 }, (_, index) => code(index, 290)) }
    const text = formatFacets([large, small])
    expect(text.length).toBeLessThan(MAX_FACETS_BYTES)
    expect(JSON.parse(text).facets).toEqual([{ id: 'large', codes: null }, small])
  })

  test('behavior: a snapshot lists them once it is asked, and an older one has none', async () => {
    using written = await snapshotOf(inventLeaves(3))
    const file = join(written.path, FACETS)
    const text = readFileSync(file)
    writeFileSync(file, 'x')
    expect(written.snapshot.listFacets()).rejects.toThrow('facets.json: does not list')
    await Bun.sleep(0)
    writeFileSync(file, text)
    expect((await written.snapshot.listFacets())?.map(({ id }) => id)).toEqual(['product', 'series'])
    rmSync(file)
    expect((await written.snapshot.listFacets())?.length).toBe(2)
    using older = await snapshotOf(inventLeaves(3))
    rmSync(join(older.path, FACETS))
    expect(await older.snapshot.listFacets()).toBeNull()
    expect(await checkSnapshot(folderFiles(older.path))).toEqual(older.manifest)
  })
})

const code = (id: unknown, values: unknown = 1, name: unknown = null) => ({ id, name, values })
const fileOf = (codes: unknown, more: object = {}) =>
  JSON.stringify({ kind: 'wattfeed dataset facets', facets: [{ id: 'product', codes }], ...more })

test('parseFacets > behavior: members of a newer version are ignored', () => {
  const newer = [{ ...code('A', 2), unit: 'x' }]
  const text = fileOf(newer, { columns: [], facets: [{ id: 'product', name: 'Product', codes: newer }] })
  expect(parseFacets(text, { facets: ['product'], size: 2 })).toEqual([
    { id: 'product', codes: [code('A', 2)] },
  ] as never)
})

test.each([
  ['no JSON', '{', 'does not list the facets'],
  ['deep JSON', '['.repeat(1_000_000), 'does not list the facets'],
  ['another kind', fileOf([code('A', 2)], { kind: 'x' }), 'does not list the facets'],
  ['no facets', fileOf([], { facets: null }), 'has other facets'],
  [
    'more facets',
    fileOf([], {
      facets: [
        { id: 'product', codes: null },
        { id: 'x', codes: null },
      ],
    }),
    'has other',
  ],
  ['another facet', fileOf([], { facets: [{ id: 'Product', codes: null }] }), 'has other facets'],
  ['a facet that is none', fileOf([], { facets: [null] }), 'has other facets'],
  ['no list', fileOf({ length: 1 }), 'codes of product are missing or malformed'],
  ['a code that is none', fileOf([null]), 'malformed'],
  ['a code that is a number', fileOf([code(1, 2)]), 'malformed'],
  ['an empty code', fileOf([code('', 2)]), 'malformed'],
  ['a code with a zero character', fileOf([code('a\0', 2)]), 'malformed'],
  ['a long code', fileOf([code('x'.repeat(301), 2)]), 'malformed'],
  ['a name that is none', fileOf([code('A', 2, 5)]), 'malformed'],
  ['a long name', fileOf([code('A', 2, 'x'.repeat(301))]), 'malformed'],
  ['no value', fileOf([code('A', 0), code('B', 2)]), 'malformed'],
  ['half a value', fileOf([code('A', 1.5), code('B', 0.5)]), 'malformed'],
  ['a text for a number', fileOf([code('A', '2')]), 'malformed'],
  ['another order', fileOf([code('B'), code('A')]), 'malformed'],
  ['a code twice', fileOf([code('A'), code('A')]), 'malformed'],
  ['null twice', fileOf([code(null), code(null)]), 'malformed'],
  [
    'too many codes',
    fileOf(Array.from({ length: 50_001 }, (_, index) => code(String(100_000 + index)))),
    'malformed',
  ],
  ['other numbers', fileOf([code('A', 3)]), 'do not have 2 values in all'],
])('parseFacets > error: %s', (_, text, words) => {
  expect(() => parseFacets(text, { facets: ['product'], size: 2 })).toThrow(words)
})

test.each([
  ['a code that no leaf has', { P0: 'P00' }],
  ['a number that is another', { '"values":3': '"values":2', '"values":2': '"values":3' }],
])('checkSnapshot > error: %s', async (_, changes: Record<string, string>) => {
  using written = await snapshotOf(inventLeaves(5))
  const file = join(written.path, FACETS)
  const swapped = readFileSync(file, 'utf8').replaceAll(
    new RegExp(Object.keys(changes).join('|'), 'g'),
    (found) => changes[found] ?? found,
  )
  writeFileSync(file, swapped)
  expect(checkSnapshot(folderFiles(written.path))).rejects.toThrow(
    'facets.json: the codes of product do not follow from the leaves',
  )
})

test('checkSnapshot > behavior: codes may be left out, and names are not checked', async () => {
  using written = await snapshotOf(inventLeaves(5))
  const file = join(written.path, FACETS)
  const { kind, facets } = JSON.parse(readFileSync(file, 'utf8'))
  const [product, series] = facets
  product.codes[0].name = 'anything'
  writeFileSync(file, JSON.stringify({ kind, facets: [product, { ...series, codes: null }] }))
  expect(await checkSnapshot(folderFiles(written.path))).toEqual(written.manifest)
})

const states = [
  code(null),
  code('AZ', 1, 'Arizona'),
  code('CA', 1, 'California'),
  code('CO', 1, 'Colorado'),
  code('US-TOTAL', 1, 'U.S. Total'),
] as FacetCode[]

test.each([
  ['ca', 'CA'],
  [' CA ', 'CA'],
  ['california', 'CA'],
  ['Califronia', 'CA'],
  ['Calif', 'CA'],
  ['US', null],
  ['us_total', 'US-TOTAL'],
  ['ZZ', null],
  ['Co', 'CO'],
  ['', null],
  ['x'.repeat(100_000), null],
])('nearestCode > default: "%s" means %p', (text, nearest) => {
  expect(nearestCode(states, text)).toBe(nearest)
})

test('findUnknownCode > default: the first code that is not there; null for codes that are, and for facets without a list', () => {
  const facets = [
    { id: 'stateid', codes: states },
    { id: 'sectorid', codes: [code('COM')] as FacetCode[] },
    { id: 'series', codes: null },
  ]
  expect(findUnknownCode(facets, { stateid: 'ca', sectorid: 'com', series: 'X' })).toEqual({
    facet: 'stateid',
    code: 'ca',
    nearest: 'CA',
  })
  expect(findUnknownCode(facets, { stateid: 'CA', sectorid: 'YYY', series: 'X' })).toEqual({
    facet: 'sectorid',
    code: 'YYY',
    nearest: null,
  })
  expect(findUnknownCode(facets, { stateid: null, sectorid: 'COM', series: null })).toBeNull()
  expect(findUnknownCode(facets, { stateid: 'CA', sectorid: null, series: 'X' })).toEqual({
    facet: 'sectorid',
    code: null,
    nearest: null,
  })
})
