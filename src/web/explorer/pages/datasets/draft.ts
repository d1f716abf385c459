import { type EiaRow, isForecast } from '@wattfeed/eia'
import { type DraftField, entryOf, type FeedEntry, suggestText } from '../../../../feeds/catalog/feedEntry.ts'
import type { Choice } from './choice.ts'
import type { Dataset } from './dataset.ts'

/** A new feed. */
export interface Draft {
  /** The text of each field: the reader's or the suggested one. */
  texts: Readonly<Record<DraftField, string>>
  faults: ReadonlyMap<DraftField, string>
  /** Null while a field has an error. */
  entry: FeedEntry | null
}

/** Drafts a feed from the choice, like `wattfeed feeds new`. */
export function draftOf({
  dataset,
  choice,
  names,
  rows,
  now,
}: {
  dataset: Dataset
  choice: Choice
  /** Names of the facets' values, if known. */
  names: Readonly<Record<string, string>>
  /** EIA's newest rows, newest first; empty without a request to EIA. */
  rows: readonly EiaRow[]
  now: number
}): Draft {
  const { frequency, column, facets, given } = choice
  const series = { dataset, frequency, column, facets, names }
  const [newest] = rows
  const said =
    newest === undefined ? null : { values: rows.map(({ value }) => value), unit: newest.statedUnit }
  const textOf = (field: DraftField, unit = ''): string =>
    given[field] ?? suggestText[field](series, said, unit) ?? ''
  const unit = textOf('unit')
  const texts = {
    id: textOf('id'),
    title: textOf('title'),
    description: textOf('description'),
    unit,
    decimals: textOf('decimals', unit),
  }
  const faults = faultsOf(texts)
  if (faults.size > 0) return { texts, faults, entry: null }
  const allowsFuture = newest !== undefined && isForecastRow(frequency, newest.period, now)
  const fields = { ...texts, decimals: Number(texts.decimals) }
  return { texts, faults, entry: entryOf(series, fields, { rows: said, allowsFuture }) }
}

const MAX_DECIMALS = 255

function faultsOf({ unit, decimals }: Draft['texts']): Map<DraftField, string> {
  const faults = new Map<DraftField, string>()
  if (unit.trim() === '') faults.set('unit', 'Must not be empty.')
  if (!/^\d{1,3}$/.test(decimals) || Number(decimals) > MAX_DECIMALS)
    faults.set('decimals', `A whole number from 0 to ${MAX_DECIMALS}.`)
  return faults
}

/** Returns whether a period's value is a forecast. `feeds check` rejects an invalid period later. */
function isForecastRow(frequency: string, period: string, now: number): boolean {
  try {
    return isForecast(frequency, period, now)
  } catch {
    return false
  }
}

export const formatEntry = (entry: FeedEntry): string => JSON.stringify(entry, null, 2)
