import { WattfeedError } from '../errors.ts'
import type { Dataset } from './datasets.ts'
import { DESCRIPTION_COLUMNS, parseDescriptions } from './parseDescriptions.ts'
import { ENTRY_COLUMNS, parseEntries } from './parseEntries.ts'
import { type CatalogFault, parseTsv, type Report } from './parseTsv.ts'

/** The catalog's source files break their rules. */
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
 * The datasets that the two source files describe, in the order of the first.
 *
 * @param sources - `catalog`: text of `catalog.tsv`, what EIA says; `descriptions`: text of
 * `descriptions.tsv`, a sentence of ours for each route.
 * @throws {@link CatalogError} with every fault, where a file breaks a rule.
 *
 * @example
 * ```ts
 * import { parseCatalog } from './parseCatalog.ts'
 *
 * const datasets = parseCatalog({
 *   catalog: await Bun.file('src/catalog/catalog.tsv').text(),
 *   descriptions: await Bun.file('src/catalog/descriptions.tsv').text(),
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
  // A table that does not read well would be faulted again for every line of the other.
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
    const { defaultFrequency, startPeriod, ...shown } = dataset
    return { ...shown, description: description ?? '', defaultFrequency, startPeriod }
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
