import type { DatasetSeries } from '@wattfeed/dataset'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { SeriesHistoryBody } from '../../../api/schemas.ts'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import { rangeUrl } from '../../cite/addresses.ts'
import { fetchAnswer, type ServerAnswer } from './answers.ts'
import { createResource } from './resource.ts'

const shape = shapeOf('seriesHistoryBody')

/** What the server gives at once. */
const PAGE = 1_000
/** The most values that one proof has. */
export const MAX_SHOWN = 5_000

/** The newest values of a series, up to {@link MAX_SHOWN}, by one root. */
export interface SeriesHistory extends Omit<SeriesHistoryBody, 'next' | 'proof'> {
  /** Whether the series has earlier values that are not shown. */
  readonly hasEarlier: boolean
}

/**
 * Reads the newest values of a series, oldest first. All pages are by the root of the first one.
 *
 * @throws {AnswerError}
 */
async function readSeriesHistory(
  series: DatasetSeries,
  asOf: string | null,
  signal: AbortSignal,
): Promise<SeriesHistory> {
  const path = rangeUrl('', { ...series, order: 'desc', limit: PAGE, as_of: asOf })
  const { body: first } = await fetchAnswer(path, shape, { signal })
  const items = [...first.items]
  let { next } = first
  while (next !== null && items.length < MAX_SHOWN) {
    const { body }: ServerAnswer<SeriesHistoryBody> = await fetchAnswer(next, shape, {
      signal,
      isRemembered: false,
    })
    items.push(...body.items)
    next = body.next
  }
  const { next: _, proof, ...facts } = first
  return { ...facts, items: items.slice(0, MAX_SHOWN).reverse(), hasEarlier: next !== null }
}

/**
 * Returns the values of a series.
 *
 * @param asOf - ISO 8601: by the newest root that was attested up to then; null for now
 * @param revision - a change reads them again; null if it is not known yet
 */
export function useSeriesHistory(series: DatasetSeries, asOf: string | null, revision: number | null) {
  const { state, reload } = useMemo(
    () => createResource((signal) => readSeriesHistory(series, asOf, signal)),
    [JSON.stringify(series), asOf],
  )
  const requested = useRef(revision)
  useEffect(() => {
    if (revision === null || requested.current === revision) return
    if (requested.current !== null) reload()
    requested.current = revision
  }, [revision])
  return { ...state.value, reload }
}
