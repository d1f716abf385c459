import { type Dataset, findDataset } from '../../catalog/datasets.ts'
import { type Check, type CheckedSelection, failed, passed, skipped } from './check.ts'

/** Holds a feed against the catalog: needs no network. */
export function checkCatalog(config: CheckedSelection): Check[] {
  const dataset = findDataset(config.route)
  if (dataset === null) {
    const why = 'the dataset is not known'
    return [
      failed('dataset', `the catalog has no dataset ${config.route}; "new" lists those that it has`),
      skipped('frequency', why),
      skipped('column', why),
      skipped('facets', why),
    ]
  }
  return [
    passed('dataset', dataset.name),
    checkWord('frequency', config.frequency, dataset.frequencies),
    checkWord('column', config.column, dataset.columns),
    checkFacets(config, dataset),
  ]
}

function checkWord(check: 'frequency' | 'column', word: string, words: readonly string[]): Check {
  return words.includes(word)
    ? passed(check, word)
    : failed(check, `the dataset has no ${check} ${word}; it has ${words.join(', ')}`)
}

function checkFacets({ facets }: CheckedSelection, dataset: Dataset): Check {
  const unknown = Object.keys(facets).filter((facet) => !dataset.facets.includes(facet))
  if (unknown.length === 0) return passed('facets', Object.keys(facets).join(', ') || 'none is needed')
  const known = dataset.facets.length === 0 ? 'none' : dataset.facets.join(', ')
  return failed('facets', `the dataset has no facet ${unknown.join(', ')}; it has ${known}`)
}
