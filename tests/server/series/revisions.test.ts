import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { answerOf, ask, createTestApp } from '../testApp.ts'
import { type InventedDataset, inventDataset, inventLeaves, ROUTE } from './inventedDataset.ts'

const PERIOD = '2026-01-09'

const pathOf = (parameters: Readonly<Record<string, string | number>> = {}): string => {
  const series = { route: ROUTE, frequency: 'weekly', column: 'value', 'facet.product': 'EPCWTI' }
  const named = { ...series, 'facet.area': 'NUS', period: PERIOD, ...parameters }
  const pairs = Object.entries(named).map(([name, value]) => [name, String(value)])
  return `/v1/series/revisions?${new URLSearchParams(pairs)}`
}

const appOf = ({ client, place }: InventedDataset) => createTestApp({ client, datasets: [place] })

/** Five roots: without the week, with it, with another value, without the series, and as the third but with one week more. */
async function revised(): Promise<InventedDataset> {
  const revise = (weeks: number) =>
    inventLeaves(['EPCBRENT', 'EPCWTI'], weeks).map((leaf) =>
      leaf.period === PERIOD && leaf.facets.product === 'EPCWTI' ? { ...leaf, value: '7.77' } : leaf,
    )
  return inventDataset([
    inventLeaves(['EPCBRENT', 'EPCWTI'], 1),
    inventLeaves(['EPCBRENT', 'EPCWTI'], 3),
    revise(3),
    inventLeaves(['EPCBRENT'], 3),
    revise(4),
  ])
}

test('default: what each root says of a value, and each line has a proof', async () => {
  using dataset = await revised()
  const app = appOf(dataset)
  const { body } = await answerOf(app, pathOf())
  const { items, ...rest } = body
  expect(rest).toEqual({
    ...{ route: ROUTE, frequency: 'weekly', column: 'value', period: PERIOD, feed_id: dataset.feedId },
    ...{ facets: { area: 'NUS', product: 'EPCWTI' }, count: 5, next: null },
  })
  const lines: Readonly<Record<string, unknown>>[] = items
  expect(lines.map(({ index, statement, value }) => [index, statement, value])).toEqual([
    [0, 'no_period', null],
    [1, 'value', '1.10'],
    [2, 'value', '7.77'],
    [3, 'no_series', null],
    [4, 'value', '7.77'],
  ])
  expect(lines[1]).toMatchObject({ unit: '$/BBL', leaf_index: 4, size: 6, covers_from: '2026-01-02' })
  for (const { index, root, statement, proof } of lines) {
    const proven = await answerOf(app, String(proof))
    expect([index, proven.body.statement, proven.body.root.index]).toEqual([index, statement, Number(index)])
    expect(proven.body.root.reading.source_hash).toBe(root)
  }
})

test.each(['asc', 'desc'])('behavior: pages, %s', async (order) => {
  using dataset = await revised()
  const app = appOf(dataset)
  const found: number[] = []
  let path: string | null = pathOf({ order, limit: 2 })
  let pages = 0
  while (path !== null) {
    const { body } = await answerOf(app, path)
    found.push(...body.items.map(({ index }: { index: number }) => index))
    path = body.next
    pages += 1
  }
  expect([pages, found]).toEqual([3, order === 'asc' ? [0, 1, 2, 3, 4] : [4, 3, 2, 1, 0]])
  for (const cursor of [5, 1_000_000]) {
    const { status, body } = await answerOf(app, pathOf({ order, cursor }))
    expect([status, body.error]).toEqual([400, `cursor=${cursor}: the dataset has attestations from 0 to 4`])
  }
})

test('behavior: a root whose files are gone says so, and has no value of another root', async () => {
  using dataset = await revised()
  rmSync(dataset.snapshots[2]?.folder ?? '', { recursive: true })
  const { body } = await answerOf(appOf(dataset), pathOf())
  expect(body.items[2]).toMatchObject({
    ...{ index: 2, root: dataset.snapshots[2]?.manifest.root, statement: 'gone', value: null },
    ...{ unit: null, leaf_index: null, covers_from: null, proof: null },
  })
})

test('behavior: a root that was made without the column states no absence', async () => {
  const leaves = inventLeaves(['EPCWTI'], 2)
  const wide = [...leaves, ...leaves.map((leaf) => ({ ...leaf, column: 'volume' }))]
  using dataset = await inventDataset([leaves, wide])
  const { body } = await answerOf(appOf(dataset), pathOf({ column: 'volume' }))
  const lines: Readonly<Record<string, unknown>>[] = body.items
  expect(lines.map(({ statement, value, proof }) => [statement, value, proof === null])).toEqual([
    ['not_covered', null, true],
    ['value', '0.10', false],
  ])
})

test.each([
  [{ column: 'Value' }, 400, 'query'],
  [{ 'facet.x': '1' }, 400, 'query'],
  [{ period: '2026' }, 400, 'query'],
  [{ period: '' }, 400, 'query'],
  [{ limit: 51 }, 400, 'query'],
  [{ cursor: -1 }, 400, 'query'],
  [{ as_of: '2026-01-01' }, 400, 'query'],
  [{ route: 'coal/nothing' }, 404, 'dataset_not_found'],
])('error: %p', async (changes, status, code) => {
  using dataset = await revised()
  const response = await ask(appOf(dataset), pathOf(changes))
  expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([status, code])
})
