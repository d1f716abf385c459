import type { DatasetBody } from '../../../api/schemas.ts'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import { searchWords } from '../../../catalog/searchWords.ts'
import { fetchAnswer } from '../../data/answers.ts'
import { families } from '../../data/families.ts'

export type Dataset = { readonly [Member in keyof DatasetBody]: Readonly<DatasetBody[Member]> }

/** A node of the catalog's tree: the datasets directly below a route, and the branches below it. */
export interface Branch {
  /** EIA's route of the branch; empty for the root. */
  route: string
  title: string
  count: number
  branches: Branch[]
  datasets: Dataset[]
}

/** Titles of the segments of a route below its family. */
const segmentTitles: Readonly<Record<string, string>> = {
  cons: 'Consumption and sales',
  crd: 'Crude oil reserves and production',
  enr: 'Exploration and reserves',
  move: 'Imports, exports and movements',
  pnp: 'Refining and processing',
  pri: 'Prices',
  prod: 'Production',
  rto: 'Grid, hourly and daily',
  shipments: 'Shipments',
  'state-electricity-profiles': 'State profiles',
  stoc: 'Stocks',
  stor: 'Storage',
  sum: 'Summary',
}

/** @param depth of the segment in its route; the first one is EIA's family */
const titleOf = (segment: string, depth: number): string | undefined =>
  depth === 0 ? families.get(segment) : segmentTitles[segment]

/** Builds the tree of routes. A family that is one dataset is directly below the root. */
export function treeOf(datasets: readonly Dataset[]): Branch {
  const root = createBranch('', '')
  for (const dataset of datasets) {
    const segments = dataset.route.split('/').slice(0, -1)
    let branch = root
    root.count += 1
    segments.forEach((segment, depth) => {
      const route = segments.slice(0, depth + 1).join('/')
      let next = branch.branches.find((each) => each.route === route)
      if (next === undefined) {
        next = createBranch(route, titleOf(segment, depth) ?? segment)
        branch.branches.push(next)
      }
      next.count += 1
      branch = next
    })
    branch.datasets.push(dataset)
  }
  return root
}

const createBranch = (route: string, title: string): Branch => ({
  route,
  title,
  count: 0,
  branches: [],
  datasets: [],
})

/** Returns the datasets whose name, route, frequencies, columns or facets contain every word. */
export function searchDatasets(datasets: readonly Dataset[], words: string): readonly Dataset[] {
  const wanted = searchWords(words)
  if (wanted.length === 0) return datasets
  return datasets.filter((dataset) => wanted.every((word) => textOf(dataset).includes(word)))
}

const shape = shapeOf('datasetsBody')

/** As {@link searchDatasets}, and each word may also be in the description, which only the server searches. @throws {AnswerError} */
export async function searchDescriptions(
  datasets: readonly Dataset[],
  words: string,
  signal: AbortSignal,
): Promise<readonly Dataset[]> {
  let found = datasets
  for (const word of searchWords(words)) {
    if (found.length === 0) break
    const { body } = await fetchAnswer(`/v1/datasets?q=${encodeURIComponent(word)}`, shape, { signal })
    const routes = new Set(body.datasets.map(({ route }) => route))
    found = found.filter((dataset) => routes.has(dataset.route) || textOf(dataset).includes(word))
  }
  return found
}

const texts = new WeakMap<Dataset, string>()

/** Returns what the search looks through, in lower case. */
function textOf(dataset: Dataset): string {
  const known = texts.get(dataset)
  if (known !== undefined) return known
  const { route, name, frequencies, columns, facets } = dataset
  const titles = route.split('/').map(titleOf)
  const text = [route, name, ...titles, ...frequencies, ...columns, ...facets].join('\n').toLowerCase()
  texts.set(dataset, text)
  return text
}
