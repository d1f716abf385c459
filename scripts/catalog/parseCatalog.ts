import { WattfeedError } from '@wattfeed/base'
import type { Dataset } from '@wattfeed/eia/catalog'
import { type CatalogFault, parseTsv, type Report, type TsvRow } from './parseTsv.ts'

/** The catalog's source files break a rule. */
export class CatalogError extends WattfeedError {
  static override readonly name = 'CatalogError'
  readonly code = 'catalog'
  readonly retryable = false

  constructor(
    /** Every fault, by file and line. */
    readonly faults: readonly CatalogFault[],
  ) {
    super(faults.map(({ file, line, rule, message }) => `${file}:${line} [${rule}] ${message}`).join('\n'))
  }
}

/**
 * Returns the datasets that the two source files describe, in the order of the first.
 *
 * @param sources.catalog text of `catalog.tsv`: EIA's metadata
 * @param sources.descriptions text of `descriptions.tsv`: our own sentence for each route
 * @throws {CatalogError} with every fault, when a file breaks a rule
 *
 * @example
 * ```ts
 * import { parseCatalog } from './parseCatalog.ts'
 *
 * const datasets = parseCatalog({
 *   catalog: await Bun.file('scripts/catalog/catalog.tsv').text(),
 *   descriptions: await Bun.file('scripts/catalog/descriptions.tsv').text(),
 * })
 * console.log(datasets.length) // 232
 * ```
 */
export function parseCatalog(sources: { catalog: string; descriptions: string }): Dataset[] {
  const faults: CatalogFault[] = []
  const reportIn =
    (file: string): Report =>
    (line, rule, message) =>
      faults.push({ file, line, rule, message })
  const reportEntry = reportIn('catalog.tsv')
  const reportDescription = reportIn('descriptions.tsv')

  const entryRows = parseTsv({ text: sources.catalog, columns: ENTRY_COLUMNS, report: reportEntry })
  const descriptionRows = parseTsv({
    text: sources.descriptions,
    columns: DESCRIPTION_COLUMNS,
    report: reportDescription,
  })
  // Otherwise an unreadable table would cause a fault for every line of the other.
  throwIfAny(faults)

  const entries = parseEntries(entryRows, reportEntry)
  const descriptions = parseDescriptions(descriptionRows, entries, reportDescription)
  const datasets = [...entries.values()].map(({ line, dataset }) => {
    const description = descriptions.get(dataset.route)
    if (description === undefined) {
      reportEntry(
        line,
        'description',
        `route ${dataset.route} has no description; add it to descriptions.tsv`,
      )
    }
    return { ...dataset, description: description ?? '' }
  })
  throwIfAny(faults)
  return datasets
}

function throwIfAny(faults: readonly CatalogFault[]): void {
  if (faults.length === 0) return
  throw new CatalogError(
    faults.toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)),
  )
}

/** Columns of `catalog.tsv`. */
const ENTRY_COLUMNS = [
  'route',
  'name',
  'frequencies',
  'default_frequency',
  'columns',
  'facets',
  'start',
] as const
type EntryRow = TsvRow<(typeof ENTRY_COLUMNS)[number]>

/** EIA's metadata of a dataset, and its line in `catalog.tsv`. */
export interface Entry {
  line: number
  dataset: Omit<Dataset, 'description'>
}

/** EIA's frequencies: the format of their periods, and the words that name them in a description. */
const frequencyRules: ReadonlyMap<string, { period: RegExp; words: RegExp }> = new Map([
  ['hourly', { period: /^\d{4}-\d\d-\d\dT\d\d$/, words: /\bhourly\b/i }],
  ['local-hourly', { period: /^\d{4}-\d\d-\d\dT\d\d[+-]\d\d$/, words: /\blocal time\b/i }],
  ['daily', { period: /^\d{4}-\d\d-\d\d$/, words: /\bdaily\b/i }],
  ['weekly', { period: /^\d{4}-\d\d-\d\d$/, words: /\bweekly\b/i }],
  ['four-week-average', { period: /^\d{4}-\d\d-\d\d$/, words: /\bfour-week averages?\b/i }],
  ['monthly', { period: /^\d{4}-\d\d$/, words: /\bmonthly\b/i }],
  ['quarterly', { period: /^\d{4}-Q[1-4]$/, words: /\bquarterly\b/i }],
  ['annual', { period: /^\d{4}$/, words: /\bannual\b/i }],
])

/** Number of datasets of the upstream API. */
const DATASET_COUNT = 232

const ROUTE = /^[A-Za-z0-9-]+(\/[A-Za-z0-9-]+)*$/
const ID = /^[A-Za-z0-9_-]+$/

/** The entries by route, in the order of the rows. */
function parseEntries(rows: readonly EntryRow[], report: Report): Map<string, Entry> {
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
    }
    checkNames({ line, dataset }, report)
    checkLists({ line, dataset }, report)
    checkPeriods({ line, fields }, dataset.frequencies, report)
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

function checkPeriods(
  { line, fields: { default_frequency: byDefault, start } }: EntryRow,
  frequencies: readonly string[],
  report: Report,
): void {
  for (const frequency of frequencies.filter((id) => !frequencyRules.has(id))) {
    const known = [...frequencyRules.keys()].join(', ')
    report(line, 'frequencies', `frequencies names ${JSON.stringify(frequency)}; EIA's are ${known}`)
  }
  if (!frequencies.includes(byDefault)) {
    const text = JSON.stringify(byDefault)
    report(line, 'default_frequency', `default_frequency is ${text}; name one of frequencies`)
  }
  const period = frequencyRules.get(byDefault)?.period
  if (start !== '' && period?.test(start) === false) {
    const text = JSON.stringify(start)
    report(line, 'start', `start is ${text}; write a period of ${byDefault} data, or leave it empty`)
  }
}

/** Columns of `descriptions.tsv`. */
const DESCRIPTION_COLUMNS = ['route', 'description'] as const

const MIN_LENGTH = 60
const MAX_LENGTH = 220

/** The descriptions by route. */
function parseDescriptions(
  rows: readonly TsvRow<(typeof DESCRIPTION_COLUMNS)[number]>[],
  entries: ReadonlyMap<string, Entry>,
  report: Report,
): Map<string, string> {
  const descriptions = new Map<string, string>()
  const lineByText = new Map<string, number>()
  for (const { line, fields } of rows) {
    const { route, description } = fields
    const entry = entries.get(route)
    if (entry === undefined) {
      report(
        line,
        'route',
        `route ${JSON.stringify(route)} is not in catalog.tsv; correct it or remove the line`,
      )
    } else {
      checkFrequencies(description, entry, line, report)
    }
    checkSentence(description, line, report)

    if (descriptions.has(route))
      report(line, 'unique', 'describes its route again; remove one of the two lines')
    const sameText = lineByText.get(description)
    if (sameText !== undefined) {
      report(line, 'unique', `repeats the description of line ${sameText}; say what sets the datasets apart`)
    }
    descriptions.set(route, description)
    lineByText.set(description, line)
  }
  return descriptions
}

function checkSentence(text: string, line: number, report: Report): void {
  if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) {
    report(line, 'length', `description has ${text.length} characters; write ${MIN_LENGTH} to ${MAX_LENGTH}`)
  }
  // A full stop before a space counts as the end of a sentence, even in "U.S. coal".
  if (!/^[A-Z]/.test(text) || !/[^.!?]\.$/.test(text) || /[.!?]\s/.test(text)) {
    const remedy = 'begin with a capital, end with a period and have none before ("US", not "U.S.")'
    report(line, 'sentence', `description is not one sentence; ${remedy}`)
  }
}

function checkFrequencies(text: string, { dataset }: Entry, line: number, report: Report): void {
  // A title, not a frequency.
  const prose = text.replaceAll('Annual Energy Outlook', '')
  for (const [frequency, { words }] of frequencyRules) {
    const offered = dataset.frequencies.includes(frequency)
    if (offered && !words.test(prose)) {
      report(line, 'how-often', `description does not say that the dataset is ${frequency}; add it`)
    }
    if (!offered && words.test(prose)) {
      report(line, 'how-often', `description says ${frequency}, which the dataset is not; leave it out`)
    }
  }
}
