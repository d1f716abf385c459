import type { Dataset } from '@wattfeed/eia/catalog'

export interface SelectedSeries {
  dataset: Pick<Dataset, 'route' | 'name' | 'columns'>
  frequency: string
  column: string
  facets: Readonly<Record<string, string>>
  /** Names of the facet values by facet id, if known. */
  names: Readonly<Record<string, string>>
}

/** Abbreviations of dataset families in the ids of the flagship feeds. Other families use their own name. */
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

/** Suggests a feed id from source, route, column, facet values and frequency. */
export function suggestId({ dataset, frequency, column, facets }: SelectedSeries): string {
  const [family = '', ...rest] = dataset.route.split('/')
  const parts = [...rest, ...(column === 'value' ? [] : [column]), ...Object.values(facets), frequency]
  return ['EIA', families[family] ?? idPart(family), ...parts.map(idPart)].join('.')
}

const idPart = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]+/g, '_')

/** Suggests a title from the names of the dataset and the facet values, and from the column if the dataset has several. */
export function suggestTitle({ dataset, column, facets, names }: SelectedSeries): string {
  const facetWords = Object.entries(facets).map(([facet, value]) => names[facet] ?? value)
  const words = [...(dataset.columns.length > 1 ? [column] : []), ...facetWords]
  return words.length === 0 ? dataset.name : `${dataset.name}: ${words.join(', ')}`
}

/** Suggests a description of the selected series: EIA's own description is about all series of the dataset. */
export function suggestDescription(selection: SelectedSeries): string {
  const { dataset, column, frequency, facets, names } = selection
  const pinned = Object.entries(facets).map(([facet, id]) => {
    const name = names[facet] ?? id
    return name === id ? `${facet} ${id}` : `${facet} ${id} (${name})`
  })
  const what = [`column ${column}`, frequency, ...pinned].join(', ')
  return `EIA's ${dataset.name} (${dataset.route}): ${what}.`
}

/** Display units by EIA's unit in lower case. */
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

/** Suggests a display unit for EIA's unit. Returns EIA's unit if no shorter one is known. */
export const suggestUnit = (stated: string): string => displayUnits[stated.toLowerCase()] ?? stated

const MAX_DECIMALS = 6

/** Suggests decimals, which can never change on chain: the usual number for the unit, or more if a value has more, up to 6. */
export const suggestDecimals = (unit: string, values: readonly (string | null)[]): number =>
  Math.max(usualDecimals(unit), Math.min(mostFractionDigits(values), MAX_DECIMALS))

/** The most digits after the decimal point in any of the values. */
export const mostFractionDigits = (values: readonly (string | null)[]): number =>
  values.reduce((most, value) => Math.max(most, /\.(\d+)$/.exec(value ?? '')?.[1]?.length ?? 0), 0)

export function usualDecimals(unit: string): number {
  if (/^(\$|cents)\//.test(unit)) return MAX_DECIMALS
  if (unit === 'percent') return 4
  return unit === 'count' ? 0 : 3
}
