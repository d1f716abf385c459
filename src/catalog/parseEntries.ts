import type { Dataset } from './datasets.ts'
import { frequencies as knownFrequencies } from './frequencies.ts'
import type { Report, TsvRow } from './parseTsv.ts'

/** Columns of `catalog.tsv`. */
export const ENTRY_COLUMNS = [
  'route',
  'name',
  'frequencies',
  'default_frequency',
  'columns',
  'facets',
  'start',
] as const

/** What EIA says about a dataset, and the line of `catalog.tsv` it stands on. */
export interface Entry {
  line: number
  dataset: Omit<Dataset, 'description'>
}

/** How many datasets the upstream API has. */
const DATASET_COUNT = 232

const ROUTE = /^[A-Za-z0-9-]+(\/[A-Za-z0-9-]+)*$/
const ID = /^[A-Za-z0-9_-]+$/

/** The entries by route, in the order of the rows. */
export function parseEntries(
  rows: readonly TsvRow<(typeof ENTRY_COLUMNS)[number]>[],
  report: Report,
): Map<string, Entry> {
  if (rows.length !== DATASET_COUNT) {
    const remedy = 'mend the lines, or DATASET_COUNT where EIA has really changed its datasets'
    report(
      rows.length + 1,
      'count',
      `is the last of ${rows.length} datasets, not ${DATASET_COUNT}; ${remedy}`,
    )
  }
  const entries = new Map<string, Entry>()
  for (const { line, fields } of rows) {
    const dataset = {
      route: fields.route,
      name: fields.name,
      frequencies: splitList(fields.frequencies),
      columns: splitList(fields.columns),
      facets: splitList(fields.facets),
      defaultFrequency: fields.default_frequency,
      startPeriod: fields.start === '' ? null : fields.start,
    }
    checkNames({ line, dataset }, report)
    checkLists({ line, dataset }, report)
    checkPeriods({ line, dataset }, report)
    const first = entries.get(dataset.route)
    if (first === undefined) entries.set(dataset.route, { line, dataset })
    else report(line, 'unique', `repeats the route of line ${first.line}; remove one of the two lines`)
  }
  return entries
}

function splitList(text: string): string[] {
  return text === '' ? [] : text.split(',')
}

function checkNames({ line, dataset: { route, name } }: Entry, report: Report): void {
  if (!ROUTE.test(route)) {
    report(
      line,
      'route',
      `route is ${JSON.stringify(route)}; write the path below /v2/, no slash at its ends`,
    )
  }
  if (name === '') report(line, 'name', 'name is empty; give the title that EIA shows')
}

function checkLists({ line, dataset: { frequencies, columns, facets } }: Entry, report: Report): void {
  // Facets may be empty: such a dataset is one series already.
  if (frequencies.length === 0)
    report(line, 'frequencies', 'frequencies is empty; list those that EIA offers')
  if (columns.length === 0) report(line, 'columns', 'columns is empty; list those that EIA offers')

  for (const [rule, list] of Object.entries({ frequencies, columns, facets })) {
    const text = JSON.stringify(list.join(','))
    if (list.some((id) => !ID.test(id))) {
      report(line, rule, `${rule} is ${text}; write ids with one comma between them and nothing else`)
    }
    if (new Set(list).size !== list.length) report(line, rule, `${rule} is ${text}; name each id once`)
  }
}

function checkPeriods({ line, dataset }: Entry, report: Report): void {
  const { frequencies, defaultFrequency, startPeriod } = dataset
  for (const frequency of frequencies.filter((id) => !knownFrequencies.has(id))) {
    const known = [...knownFrequencies.keys()].join(', ')
    report(line, 'frequencies', `frequencies names ${JSON.stringify(frequency)}; EIA's are ${known}`)
  }
  if (!frequencies.includes(defaultFrequency)) {
    const text = JSON.stringify(defaultFrequency)
    report(line, 'default_frequency', `default_frequency is ${text}; name one of frequencies`)
  }
  const period = knownFrequencies.get(defaultFrequency)?.period
  if (startPeriod !== null && period?.test(startPeriod) === false) {
    const text = JSON.stringify(startPeriod)
    report(line, 'start', `start is ${text}; write a period of ${defaultFrequency} data, or leave it empty`)
  }
}
