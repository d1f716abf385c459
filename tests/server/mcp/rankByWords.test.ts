import { expect, test } from 'bun:test'
import { type Dataset, datasets } from '@wattfeed/eia/catalog'
import { rankByWords } from '../../../src/server/mcp/rankByWords.ts'

const items = ['gas price', 'gasoline price', 'natural gas storage', 'coal']

const rank = (query: string) => rankByWords(items, query, (item) => [item])

test.each([
  ['', items],
  ['?!', items],
  ['gas', ['gas price', 'natural gas storage', 'gasoline price']],
  ['GAS price', ['gas price', 'gasoline price', 'natural gas storage']],
  ['storage of gas', ['natural gas storage', 'gas price']],
  ['oil', []],
  ['coal'.repeat(100), []],
])('default: "%s"', (query, found) => {
  expect(rank(query)).toEqual([...found])
})

test('behavior: a repeated word counts once, and only the first 16 words count', () => {
  expect(rank('gas gas gas storage')[0]).toBe('natural gas storage')
  const others = Array.from({ length: 16 }, (_, index) => `w${index}`).join(' ')
  expect(rank(`${others} coal`)).toEqual([])
})

test('behavior: a rare word counts more than a common one, and items with common words only are dropped', () => {
  const feeds = ['US coal', 'US oil', 'US gas', 'US wind']
  expect(rankByWords(feeds, 'US coal', (each) => [each])).toEqual(['US coal'])
  expect(rankByWords(feeds, 'US', (each) => [each])).toEqual(feeds)
})

test.each(['spot crude', 'crude spot', 'retail electricity price', 'natural-gas storage weekly', 'stat ret'])(
  'behavior: every dataset that contains all of "%s" is found',
  (query) => {
    const textsOf = ({ route, name, description }: Dataset) => [route, name, description]
    const holdsAll = (dataset: Dataset) =>
      query.split(' ').every((word) => textsOf(dataset).join('\n').toLowerCase().includes(word))
    const found = rankByWords(datasets, query, textsOf)
    expect(datasets.filter(holdsAll).length).toBeGreaterThan(0)
    expect(datasets.filter((dataset) => holdsAll(dataset) && !found.includes(dataset))).toEqual([])
  },
)

test('behavior: only the first 2,000 characters of a text are searched', () => {
  const long = `${'x'.repeat(2_000)} coal`
  expect(rankByWords([long], 'coal', (item) => [item])).toEqual([])
})
