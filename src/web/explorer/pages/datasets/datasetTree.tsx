import { useMemo } from 'preact/hooks'
import type { AttestedDatasetBody } from '../../../../api/schemas.ts'
import { Text } from '../../ui/text.tsx'
import { datasetHref } from './choice.ts'
import { type Dataset, titleOf } from './dataset.ts'

export interface DatasetTreeProps {
  datasets: readonly Dataset[]
  /** The datasets whose roots are on chain, which are marked. */
  attested: readonly AttestedDatasetBody[]
  /** The route of the chosen dataset, or null. */
  chosen: string | null
  /** The search; if not empty, every branch is open. */
  words: string
}

/** The datasets by route. */
export function DatasetTree({ datasets, ...props }: DatasetTreeProps) {
  const root = useMemo(() => treeOf(datasets), [datasets])
  return (
    <section class="tree" aria-label="Datasets by route">
      <Below branch={root} {...props} />
    </section>
  )
}

type BranchProps = { branch: Branch } & Omit<DatasetTreeProps, 'datasets'>

function Below({ branch, ...props }: BranchProps) {
  return (
    <ul>
      {branch.branches.map((each) => (
        <li key={each.route}>
          <BranchOf branch={each} {...props} />
        </li>
      ))}
      {branch.datasets.map((dataset) => (
        <li key={dataset.route}>
          <Leaf dataset={dataset} {...props} />
        </li>
      ))}
    </ul>
  )
}

function Leaf({ dataset, attested, chosen, words }: Omit<BranchProps, 'branch'> & { dataset: Dataset }) {
  const { route, name } = dataset
  const root = attested.find((each) => each.route === route)
  return (
    <a href={datasetHref(route, words, root)} aria-current={route === chosen ? 'true' : undefined}>
      <Text text={name} max={160} />
      {root !== undefined && (
        <>
          {' '}
          <span class="badge is-current">attested</span>
        </>
      )}
    </a>
  )
}

function BranchOf({ branch, ...props }: BranchProps) {
  const { chosen, words } = props
  const isOpen = words !== '' || chosen?.startsWith(`${branch.route}/`) === true
  return (
    // The key creates the element again when a search starts or ends. Until then the reader opens and closes it.
    <details key={words === '' ? 'all' : 'found'} open={isOpen}>
      <summary>
        {branch.title} <span class="tree-count">{branch.count}</span>
      </summary>
      <Below branch={branch} {...props} />
    </details>
  )
}

/** A node of the catalog's tree: the datasets directly below a route, and the branches below it. */
interface Branch {
  /** EIA's route of the branch; empty for the root. */
  route: string
  title: string
  count: number
  branches: Branch[]
  datasets: Dataset[]
}

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
