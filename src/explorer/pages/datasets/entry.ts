import {
  suggestDecimals,
  suggestDescription,
  suggestId,
  suggestTitle,
  suggestUnit,
} from '../../../catalog/suggestFeed.ts'
import { isForecast } from '../../../eia/period.ts'
import { describeRecipe, recipeOf } from '../../../eia/recipe.ts'
import type { EiaRow } from '../../../eia/series.ts'
import type { Choice, TextField } from './choice.ts'
import type { Dataset } from './dataset.ts'

export interface Entry {
  feed_id: string
  title: string
  description: string
  source: 'EIA'
  route: string
  frequency: string
  column: string
  facets: Readonly<Record<string, string>>
  unit: string
  decimals: number
  upstream_unit?: string
  allow_future?: true
  unverified?: string
}

/** A new feed. */
export interface Draft {
  /** The text of each field: the reader's or the suggested one. */
  texts: Readonly<Record<TextField, string>>
  faults: ReadonlyMap<TextField, string>
  /** Null while a field has an error. */
  entry: Entry | null
}

export interface DraftOptions {
  dataset: Dataset
  choice: Choice
  /** Names of the facets' values, if known. */
  names: Readonly<Record<string, string>>
  /** EIA's newest row; null without a request to EIA. */
  newest: EiaRow | null
  now: number
}

/** Drafts a feed from the choice, like `wattfeed feeds new`. */
export function draftOf({ dataset, choice, names, newest, now }: DraftOptions): Draft {
  const { frequency, column, facets, given } = choice
  const series = { dataset, frequency, column, facets, names }
  const unit = given.unit ?? (newest?.statedUnit ? suggestUnit(newest.statedUnit) : '')
  const texts = {
    id: given.id ?? suggestId(series),
    title: given.title ?? suggestTitle(series),
    description: given.description ?? suggestDescription(series),
    unit,
    decimals: given.decimals ?? String(suggestDecimals(unit, newest)),
  }
  const faults = faultsOf(texts)
  if (faults.size > 0) return { texts, faults, entry: null }
  const entry: Entry = {
    feed_id: texts.id,
    title: texts.title,
    description: texts.description,
    source: 'EIA',
    route: dataset.route,
    frequency,
    column,
    facets,
    unit,
    decimals: Number(texts.decimals),
    ...(newest?.statedUnit ? { upstream_unit: newest.statedUnit } : {}),
    ...(newest !== null && isForecastRow(frequency, newest.period, now) ? { allow_future: true } : {}),
    ...(newest === null ? { unverified: 'EIA was not queried when this entry was written' } : {}),
  }
  return { texts, faults, entry }
}

const MAX_DECIMALS = 255

function faultsOf({ unit, decimals }: Draft['texts']): Map<TextField, string> {
  const faults = new Map<TextField, string>()
  if (unit.trim() === '') faults.set('unit', 'Must not be empty.')
  if (!/^\d{1,3}$/.test(decimals) || Number(decimals) > MAX_DECIMALS)
    faults.set('decimals', `A whole number from 0 to ${MAX_DECIMALS}.`)
  return faults
}

/** Whether a period's value is a forecast. `feeds check` rejects an invalid period later. */
function isForecastRow(frequency: string, period: string, now: number): boolean {
  try {
    return isForecast(frequency, period, now)
  } catch {
    return false
  }
}

/** Returns the feed's description on chain, which ends with its recipe if that is known. */
export function describedOnChain(entry: Entry): string {
  const recipe = recipeOf(entry)
  return recipe === null ? entry.description : describeRecipe(entry.description, recipe)
}

export const formatEntry = (entry: Entry): string => JSON.stringify(entry, null, 2)
