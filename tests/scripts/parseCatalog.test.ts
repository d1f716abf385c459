import { describe, expect, test } from 'bun:test'
import { CatalogError, parseCatalog } from '../../scripts/catalog/parseCatalog.ts'
import { edit, faultsOf, lineOf, sources } from './sources.ts'

describe('parseCatalog', () => {
  test('default', () => {
    const datasets = parseCatalog(sources)
    expect(datasets).toHaveLength(232)
    expect(datasets.find(({ route }) => route === 'electricity/retail-sales')).toEqual({
      route: 'electricity/retail-sales',
      name: 'Electricity Sales to Ultimate Customers',
      frequencies: ['monthly', 'quarterly', 'annual'],
      columns: ['revenue', 'sales', 'price', 'customers'],
      facets: ['stateid', 'sectorid'],
      description:
        'Retail electricity sales, revenue, number of customers and average electricity price, by state and end-use sector, monthly, quarterly and annual.',
    })
  })

  test('behavior: the order is that of catalog.tsv', () => {
    const routes = sources.catalog
      .split('\n')
      .slice(1, -1)
      .map((line) => line.slice(0, line.indexOf('\t')))
    expect(parseCatalog(sources).map(({ route }) => route)).toEqual(routes)
  })

  test('behavior: descriptions may be in any order', () => {
    const [heading, ...lines] = sources.descriptions.trimEnd().split('\n')
    const reversed = `${[heading, ...lines.reverse()].join('\n')}\n`
    expect(parseCatalog({ ...sources, descriptions: reversed })).toEqual(parseCatalog(sources))
  })

  test('behavior: no facets is an empty list', () => {
    const datasets = parseCatalog(sources)
    expect(datasets.filter(({ facets }) => facets.length === 0).map(({ route }) => route)).toEqual([
      'densified-biomass/export-sales-and-price',
      'nuclear-outages/us-nuclear-outages',
    ])
  })

  test('error: faults are facts in fields', () => {
    const descriptions = edit(sources.descriptions, 'seds\tAnnual', 'seds\tannual')
    let thrown: unknown
    try {
      parseCatalog({ ...sources, descriptions })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(CatalogError)
    expect(thrown).toMatchObject({
      name: 'CatalogError',
      code: 'catalog',
      retryable: false,
      faults: [
        {
          file: 'descriptions.tsv',
          line: lineOf(sources.descriptions, 'seds'),
          rule: 'sentence',
          message:
            'description is not one sentence; begin with a capital, end with a period and have none before ("US", not "U.S.")',
        },
      ],
    })
  })

  test('error: every fault is named, by file and line', () => {
    const catalog = edit(edit(sources.catalog, '\tTotal Energy\t', '\t\t'), '\tPrice by Rank\t', '\t\t')
    const descriptions = edit(sources.descriptions, 'seds\tAnnual', 'seds\tannual').replace(
      /^aeo\/2014\t.*\n/m,
      '',
    )
    expect(faultsOf({ catalog, descriptions })).toEqual([
      'catalog.tsv:2 [description] route aeo/2014 has no description; add it to descriptions.tsv',
      `catalog.tsv:${lineOf(catalog, 'coal/price-by-rank')} [name] name is empty; give the title that EIA shows`,
      `catalog.tsv:${lineOf(catalog, 'total-energy')} [name] name is empty; give the title that EIA shows`,
      `descriptions.tsv:${lineOf(descriptions, 'seds')} [sentence] description is not one sentence; begin with a capital, end with a period and have none before ("US", not "U.S.")`,
    ])
  })

  test('error: a table that does not read well is the only fault', () => {
    expect(faultsOf({ catalog: sources.catalog.replaceAll('\n', '\r\n') })).toEqual([
      'catalog.tsv:1 [line-end] holds a carriage return; save the file with LF line ends',
    ])
    expect(faultsOf({ catalog: '', descriptions: '' })).toEqual([
      'catalog.tsv:1 [heading] has to be "route\\tname\\tfrequencies\\tdefault_frequency\\tcolumns\\tfacets\\tstart"; mend it (UTF-8, no byte order mark)',
      'descriptions.tsv:1 [heading] has to be "route\\tdescription"; mend it (UTF-8, no byte order mark)',
    ])
  })

  test('error: a dataset without a description', () => {
    const descriptions = sources.descriptions.replace(/^steo\t.*\n/m, '')
    expect(faultsOf({ descriptions })).toEqual([
      `catalog.tsv:${lineOf(sources.catalog, 'steo')} [description] route steo has no description; add it to descriptions.tsv`,
    ])
  })

  test('error: a description without a dataset', () => {
    const catalog = sources.catalog.replace(/^steo\t.*\n/m, '')
    expect(faultsOf({ catalog })).toEqual([
      'catalog.tsv:232 [count] is the last of 231 datasets, not 232; mend the lines, or DATASET_COUNT where EIA has really changed its datasets',
      `descriptions.tsv:${lineOf(sources.descriptions, 'steo')} [route] route "steo" is not in catalog.tsv; correct it or remove the line`,
    ])
  })
})
