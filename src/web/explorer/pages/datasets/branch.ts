import { type Dataset, titleOf } from './dataset.ts'

/** A node of the catalog's tree: the datasets directly below a route, and the branches below it. */
export interface Branch {
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
