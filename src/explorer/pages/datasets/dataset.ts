import type { DatasetBody } from '../../../api/schemas.ts'
import { families } from '../../data/families.ts'

/** A dataset as the server writes it. */
export type Dataset = { readonly [Member in keyof DatasetBody]: Readonly<DatasetBody[Member]> }

/** A part of the catalog: the datasets right below a route, and the branches that go on from it. */
export interface Branch {
  /** EIA's route so far; empty for the root. */
  route: string
  title: string
  /** How many datasets there are in it, at any depth. */
  count: number
  branches: Branch[]
  datasets: Dataset[]
}

/** What EIA's routes call the parts of a family. */
const parts: Readonly<Record<string, string>> = {
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

/** Builds the tree of routes. A dataset that is a family by itself stands right below the root. */
export function treeOf(datasets: readonly Dataset[]): Branch {
  const root = branchAt('', '')
  for (const dataset of datasets) {
    const segments = dataset.route.split('/').slice(0, -1)
    let branch = root
    root.count += 1
    segments.forEach((segment, depth) => {
      const route = segments.slice(0, depth + 1).join('/')
      let next = branch.branches.find((each) => each.route === route)
      if (next === undefined) {
        next = branchAt(route, (depth === 0 ? families.get(segment) : parts[segment]) ?? segment)
        branch.branches.push(next)
      }
      next.count += 1
      branch = next
    })
    branch.datasets.push(dataset)
  }
  return root
}

const branchAt = (route: string, title: string): Branch => ({
  route,
  title,
  count: 0,
  branches: [],
  datasets: [],
})

/** Returns the datasets of which every word is in the name, the route, the frequencies, columns or facets. */
export function searchDatasets(datasets: readonly Dataset[], words: string): readonly Dataset[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return datasets
  return datasets.filter((dataset) => wanted.every((word) => textOf(dataset).includes(word)))
}

const texts = new WeakMap<Dataset, string>()

function textOf(dataset: Dataset): string {
  const known = texts.get(dataset)
  if (known !== undefined) return known
  const { route, name, frequencies, columns, facets } = dataset
  const titles = route
    .split('/')
    .map((segment, depth) => (depth === 0 ? families.get(segment) : parts[segment]))
  const text = [route, name, ...titles, ...frequencies, ...columns, ...facets].join('\n').toLowerCase()
  texts.set(dataset, text)
  return text
}

/** A facet that by itself selects one series. */
const SERIES_FACET = 'series'

/** The facets that are not pinned, and may leave several series: the one that selects a series alone comes first. */
export function openFacets({ facets }: Dataset, pinned: Readonly<Record<string, string>>): string[] {
  if (Object.hasOwn(pinned, SERIES_FACET)) return []
  const rank = (facet: string): number => (facet === SERIES_FACET ? 0 : 1)
  return facets.filter((facet) => !Object.hasOwn(pinned, facet)).sort((one, other) => rank(one) - rank(other))
}
