import type { DatasetSeries } from '@wattfeed/dataset'
import { FACET_PARAMETER } from 'wattfeed/internal'
import { type DraftField, draftNames } from '../../../../feeds/catalog/feedEntry.ts'
import { seriesPairs } from '../../../site/seriesPath.ts'
import { showText } from '../../format/untrusted.ts'
import type { Dataset } from './dataset.ts'

/** The reader's choice of a series and a period, and the fields of the new feed. The address holds all of it. */
export interface Choice {
  frequency: string
  column: string
  /** The value of each pinned facet. */
  facets: Readonly<Record<string, string>>
  /** The facets that are chosen to be empty: rows of the series have none. Only an attested series can have such facets. */
  emptyFacets: readonly string[]
  /** The period whose attested value is shown, as EIA writes it; null for the newest. */
  period: string | null
  /** Texts that replace the suggestions. */
  given: Readonly<Partial<Record<DraftField, string>>>
}

const MAX_TEXT = 500

/** Reads the choice from an address, and ignores names that the dataset does not have, or that are there twice. */
export function choiceOf(dataset: Dataset, query: URLSearchParams): Choice {
  const only = (name: string): string | null => {
    const [text = null, ...others] = query.getAll(name)
    return others.length === 0 ? text : null
  }
  const read = (name: string): string | null => {
    const text = only(name)
    // Hidden characters would break a command or an id. This page never creates a link with them.
    return text === null || text === '' || showText(text, MAX_TEXT) !== text ? null : text
  }
  const oneOf = (name: string, options: readonly string[]): string => {
    const text = read(name)
    return text !== null && options.includes(text) ? text : (options[0] ?? '')
  }
  const some = <Name extends string>(names: readonly Name[], prefix = '') =>
    Object.fromEntries(
      names.flatMap((name) => {
        const text = read(prefix + name)
        return text === null ? [] : [[name, text] as const]
      }),
    ) as Partial<Record<Name, string>>
  return {
    frequency: oneOf('frequency', dataset.frequencies),
    column: oneOf('column', dataset.columns),
    facets: some(dataset.facets, FACET_PARAMETER) as Record<string, string>,
    emptyFacets: dataset.facets.filter((facet) => only(facetPart(facet)) === ''),
    period: read('period'),
    given: some(draftNames),
  }
}

export const facetPart = (facet: string): string => FACET_PARAMETER + facet

/**
 * Returns the address of a dataset, with the current search.
 *
 * @param root - what is attested of it, which is chosen then. @default nothing
 */
export function datasetHref(
  route: string | null,
  words: string,
  root?: { readonly frequency: string; readonly columns: readonly string[] },
): string {
  const query = new URLSearchParams()
  if (words !== '') query.set('q', words)
  if (route !== null) query.set('route', route)
  if (root !== undefined) query.set('frequency', root.frequency)
  if (root?.columns[0] !== undefined) query.set('column', root.columns[0])
  const search = query.toString()
  return `/explorer/datasets${search === '' ? '' : `?${search}`}`
}

/** Returns the address of one value of a series, with its own proof. */
export const valueHref = (series: DatasetSeries, period: string): string =>
  `/explorer/datasets?${new URLSearchParams([...seriesPairs(series), ['period', period]])}#attested`
