import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import type { Dataset } from '../../catalog/datasets.ts'
import type { NewestRow } from './checkUpstream.ts'
import { fill, NewFeedError } from './choose.ts'
import type { Prompt } from './prompt.ts'
import type { NewFeedFlags } from './selectSeries.ts'

export interface Describing {
  selection: Selection
  /** Null if EIA was not asked: then the feed is marked as unverified. */
  newest: NewestRow | null
  flags: NewFeedFlags
  /** Null without a terminal. */
  prompt: Prompt | null
  /** Ids that are taken. */
  takenIds: ReadonlySet<string>
}

/**
 * Creates the entry of a feed: each field as given by flag, else answered, else suggested.
 *
 * @throws {NewFeedError} naming the flag.
 */
export async function describeFeed(describing: Describing): Promise<FeedConfig> {
  const { selection, newest, flags, prompt, takenIds } = describing
  const fields = FeedConfig.properties
  const parseId = (id: string): string => {
    if (takenIds.has(id)) throw new Error(`${id} is in the feeds file already`)
    return parseText(fields.feed_id, id)
  }
  const ask = <T>(name: TextFlag, suggestion: string | null, parse: (text: string) => T): Promise<T> =>
    fill({ name, given: flags[name], suggestion, parse }, prompt)
  const feedId = await ask('id', suggestId(selection), parseId)
  const title = await ask('title', suggestTitle(selection), (text) => parseText(fields.title, text))
  const description = await ask('description', suggestDescription(selection), (text) =>
    parseText(fields.description, text),
  )
  const stated = newest?.unit ?? null
  const unit = await ask('unit', stated && suggestUnit(stated), (text) => parseText(fields.unit, text))
  const decimals = await ask('decimals', String(suggestDecimals(unit, newest)), parseDecimals)
  return assertFeed({
    feed_id: feedId,
    title,
    description,
    source: 'EIA',
    route: selection.dataset.route,
    frequency: selection.frequency,
    column: selection.column,
    facets: selection.facets,
    unit,
    decimals,
    ...(stated === null ? {} : { upstream_unit: stated }),
    ...(flags.allowFuture ? { allow_future: true } : {}),
    ...(newest === null ? { unverified: 'EIA was not asked when this entry was written' } : {}),
  })
}

type TextFlag = 'id' | 'title' | 'description' | 'unit' | 'decimals'

function parseText(schema: TSchema, text: string): string {
  if (Value.Check(schema, text)) return text
  throw new Error(`it must be ${schema.description}`)
}

function parseDecimals(text: string): number {
  const { decimals: schema } = FeedConfig.properties
  const decimals = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Value.Check(schema, decimals)) return decimals
  throw new Error(`it must be ${schema.description}`)
}

function assertFeed(feed: object): FeedConfig {
  if (Value.Check(FeedConfig, feed)) return feed
  const { path = '', schema } = Value.Errors(FeedConfig, feed).First() ?? {}
  throw new NewFeedError('wrong_feed', `${path.slice(1)} must be ${schema?.description}`)
}

/** A series of a dataset, with the names of its facet values. */
export interface Selection {
  dataset: Dataset
  frequency: string
  column: string
  facets: Readonly<Record<string, string>>
  /** Names of the facets' values by facet id, if known. */
  names: Readonly<Record<string, string>>
}

/** The flagship feeds' abbreviations of dataset families; others use their own name. */
const families: Readonly<Record<string, string>> = {
  'natural-gas': 'NG',
  petroleum: 'PET',
  'crude-oil-imports': 'PET.IMPORTS',
  electricity: 'ELEC',
  'densified-biomass': 'DBF',
  'nuclear-outages': 'NUC',
  'co2-emissions': 'CO2',
  'total-energy': 'TOTAL',
  international: 'INTL',
}

/** Suggests an id from source, route, column, facet values and frequency. */
export function suggestId({ dataset, frequency, column, facets }: Selection): string {
  const [family = '', ...rest] = dataset.route.split('/')
  const parts = [...rest, ...(column === 'value' ? [] : [column]), ...Object.values(facets), frequency]
  return ['EIA', families[family] ?? idPart(family), ...parts.map(idPart)].join('.')
}

const idPart = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]+/g, '_')

/** Suggests a title from the dataset's name and the facet values' names. */
export function suggestTitle(selection: Selection): string {
  const words = facetWords(selection)
  return words === '' ? selection.dataset.name : `${selection.dataset.name}: ${words}`
}

/** Suggests a description that names what the feed has and nothing else of the dataset. */
export function suggestDescription(selection: Selection): string {
  const { dataset, column, frequency, facets, names } = selection
  const pinned = Object.entries(facets).map(([facet, id]) => {
    const name = names[facet] ?? id
    return name === id ? `${facet} ${id}` : `${facet} ${id} (${name})`
  })
  const what = [`column ${column}`, frequency, ...pinned].join(', ')
  return `EIA's ${dataset.name} (${dataset.route}): ${what}.`
}

const facetWords = ({ facets, names }: Selection): string =>
  Object.entries(facets)
    .map(([facet, value]) => names[facet] ?? value)
    .join(', ')

/** Display units by EIA's units in lower case. */
const displayUnits: Readonly<Record<string, string>> = {
  '$/bbl': '$/bbl',
  'dollars per barrel': '$/bbl',
  '$/gal': '$/gal',
  'dollars per gallon': '$/gal',
  '$/mmbtu': '$/MMBtu',
  'dollars per million btu': '$/MMBtu',
  'dollars per short ton': '$/short ton',
  'cents per kilowatt-hour': 'cents/kWh',
  'cents per kilowatthour': 'cents/kWh',
  mbbl: 'Mbbl',
  'mbbl/d': 'Mbbl/d',
  mmbbl: 'MMbbl',
  bcf: 'Bcf',
  mmcf: 'MMcf',
  megawatthours: 'MWh',
  megawatts: 'MW',
  'million kilowatt hours': 'million kWh',
  'million kilowatthours': 'million kWh',
  'million dollars': 'million $',
  'number of customers': 'count',
}

/** Suggests a display unit for EIA's; the same if no shorter one is known. */
export const suggestUnit = (stated: string): string => displayUnits[stated.toLowerCase()] ?? stated

const MAX_DECIMALS = 6

/** Suggests decimals: by unit, or as many as the newest value has, at most 6. */
export function suggestDecimals(unit: string, newest: NewestRow | null): number {
  const fraction = /\.(\d+)$/.exec(newest?.value ?? '')?.[1] ?? ''
  return Math.max(usualDecimals(unit), Math.min(fraction.length, MAX_DECIMALS))
}

function usualDecimals(unit: string): number {
  if (/^(\$|cents)\//.test(unit)) return MAX_DECIMALS
  if (unit === 'percent') return 4
  return unit === 'count' ? 0 : 3
}
