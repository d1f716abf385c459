import type { Dataset } from '../../catalog/datasets.ts'
import type { NewestRow } from './checkUpstream.ts'

/** A series of a dataset, and what its facet values are called. */
export interface Selection {
  dataset: Dataset
  frequency: string
  column: string
  facets: Readonly<Record<string, string>>
  /** Names of the facets' values, by facet id, as far as they are known. */
  names: Readonly<Record<string, string>>
}

/** How the flagship feeds abbreviate families of datasets; others go by their own name. */
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

/** An id that tells what the feed is: source, route, column, facet values, frequency. */
export function suggestId({ dataset, frequency, column, facets }: Selection): string {
  const [family = '', ...rest] = dataset.route.split('/')
  const parts = [...rest, ...(column === 'value' ? [] : [column]), ...Object.values(facets), frequency]
  return ['EIA', families[family] ?? idPart(family), ...parts.map(idPart)].join('.')
}

const idPart = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]+/g, '_')

/** A title from the dataset's and what the facet values are called. */
export function suggestTitle(selection: Selection): string {
  const words = facetWords(selection)
  return words === '' ? selection.dataset.name : `${selection.dataset.name}: ${words}`
}

/** A description from the dataset's, the column and the facets. */
export function suggestDescription(selection: Selection): string {
  const { dataset, column, frequency, facets } = selection
  const pinned = Object.entries(facets).map(([facet, value]) => `${facet}=${value}`)
  return `${dataset.description} Here: ${[`column ${column}`, frequency, ...pinned].join(', ')}.`
}

const facetWords = ({ facets, names }: Selection): string =>
  Object.entries(facets)
    .map(([facet, value]) => names[facet] ?? value)
    .join(', ')

/** Display units for what EIA writes, in lower case. */
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

/** A display unit for the one that EIA states; its own words where no shorter ones are known. */
export const suggestUnit = (stated: string): string => displayUnits[stated.toLowerCase()] ?? stated

const MOST_DECIMALS = 6

/** How many decimals to keep: 6 for prices, else 3, and more where the newest value has more, 6 at most. */
export function suggestDecimals(unit: string, newest: NewestRow | null): number {
  const fraction = /\.(\d+)$/.exec(newest?.value ?? '')?.[1] ?? ''
  return Math.max(usualDecimals(unit), Math.min(fraction.length, MOST_DECIMALS))
}

function usualDecimals(unit: string): number {
  if (/^(\$|cents)\//.test(unit)) return MOST_DECIMALS
  if (unit === 'percent') return 4
  return unit === 'count' ? 0 : 3
}
