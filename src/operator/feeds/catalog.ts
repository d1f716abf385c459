import { Type } from '@sinclair/typebox'
import { WattfeedError } from '@wattfeed/base'
import type { FacetValue } from '@wattfeed/eia'
import { type Dataset, findDataset, searchDatasets, searchWords } from '@wattfeed/eia/catalog'
import { type Command, Option } from 'commander'
import { formatTable } from '../../runtime/formatTable.ts'
import { option } from '../../runtime/settings/option.ts'
import { SettingsError } from '../../runtime/settings/settings.ts'
import type { CommandResult } from '../../runtime/terminal.ts'
import { openEia } from '../open.ts'
import type { JsonOption, Program } from '../program.ts'
import type { FeedsSettings } from '../settings.ts'
import { readsOnly, runFeeds } from './runFeeds.ts'

const datasetsHelp = `
Finds datasets in the catalog by words in route, name or description, without network.

Examples:
  $ bun run feeds datasets retail gasoline
  $ bun run feeds datasets --limit 300 --json | jq -r '.datasets[].route'`

const facetsHelp = `
Lists the facets of a dataset, without network, or the values that one of them may have. EIA lists the values:
EIA_API_KEY is needed.

Examples:
  $ bun run feeds facets petroleum/pri/spt
  $ EIA_API_KEY=… bun run feeds facets petroleum/pri/spt series crude`

export function addDatasets(program: Program): void {
  withSection(program.add('datasets', 'find datasets in the catalog', datasetsHelp))
    .argument('[words...]', 'parts of route, name or description; all of them must match')
    .action((words: string[], options: SectionOptions) =>
      runFeeds(program, 'datasets', options, readsOnly, async () => findDatasets(words, options)),
    )
}

export function addFacets(program: Program): void {
  withSection(program.add('facets', 'list the facets of a dataset, or the values of one', facetsHelp))
    .argument('<route>', 'a dataset of the catalog')
    .argument('[facet]', 'one of its facets, to list its values from EIA')
    .argument('[words...]', 'parts of a value’s id or name; all of them must match')
    .action((route: string, facet: string | undefined, words: string[], options: SectionOptions) =>
      facet === undefined
        ? runFeeds(program, 'facets', options, readsOnly, async () => listFacets(route, options))
        : runFeeds(program, 'facets', options, { writes: false, fetches: true }, (settings) =>
            findFacetValues(settings, { route, facet, words }, options),
          ),
    )
}

/** The part of a long list that a command shows. */
export interface Section {
  offset: number
  limit: number
}

type SectionOptions = JsonOption & Section

/** Adds the options of a section to a command. */
const withSection = (command: Command): Command =>
  command
    .addOption(
      new Option('--limit <count>', 'maximum number of results')
        .argParser(option(Type.Integer({ minimum: 1, maximum: 10_000 })))
        .default(20),
    )
    .addOption(
      new Option('--offset <count>', 'number of results to skip')
        .argParser(option(Type.Integer({ minimum: 0, maximum: 999_999 })))
        .default(0),
    )

export function findDatasets(words: readonly string[], section: Section): CommandResult {
  const found = searchDatasets({ q: words.join(' ') })
  const shown = sectionOf(found, section)
  return {
    report: {
      command: 'datasets',
      ...sectionFields(found, section),
      datasets: shown.map(({ route, name, description, frequencies, columns, facets }) => ({
        route,
        name,
        description,
        frequencies,
        columns,
        facets,
      })),
    },
    text: [...shown.map(formatDataset), formatSection(found.length, section, 'dataset')].join('\n'),
  }
}

const formatDataset = ({ route, name, frequencies, columns, facets }: Dataset): string =>
  [
    `${route}  ${name}`,
    formatTable([
      ['  frequencies', frequencies.join(', ')],
      ['  columns', columns.join(', ')],
      ['  facets', facets.join(', ') || 'none: it is one series'],
    ]),
  ].join('\n')

export function listFacets(route: string, section: Section): CommandResult {
  const { name, facets } = knownDataset(route)
  const shown = sectionOf(facets, section)
  const hint = facets.length === 0 ? [] : [`"feeds facets ${route} ${facets[0]}" lists the values of one`]
  return {
    report: { command: 'facets', route, ...sectionFields(facets, section), facets: shown },
    text: [
      `${route}  ${name}`,
      ...shown.map((facet) => `  ${facet}`),
      formatSection(facets.length, section, 'facet'),
      ...hint,
    ].join('\n'),
  }
}

export async function findFacetValues(
  settings: FeedsSettings,
  { route, facet, words }: { route: string; facet: string; words: readonly string[] },
  section: Section,
): Promise<CommandResult> {
  const { facets } = knownDataset(route)
  if (!facets.includes(facet))
    throw new NotInCatalogError(`${route} has no facet ${facet}; it has ${facets.join(', ') || 'none'}`)
  const eia = openEia(settings)
  if (eia === null) throw new SettingsError({ faults: ['EIA_API_KEY is not set'] })
  const known = await eia.listFacetValues(route, facet)
  const wanted = searchWords(words.join(' '))
  const found = known.filter((value) => wanted.every((word) => holds(value, word)))
  const shown = sectionOf(found, section)
  return {
    report: { command: 'facets', route, facet, ...sectionFields(found, section), values: shown },
    text: [
      ...(shown.length === 0
        ? []
        : [formatTable(shown.map(({ id, name, alias = '' }) => [id, name, alias]))]),
      formatSection(found.length, section, `value of ${facet}`, `values of ${facet}`),
    ].join('\n'),
  }
}

const holds = ({ id, name, alias = '' }: FacetValue, word: string): boolean =>
  [id, name, alias].some((text) => text.toLowerCase().includes(word))

export class NotInCatalogError extends WattfeedError {
  static override readonly name = 'NotInCatalogError'
  readonly code = 'not_in_catalog'
  readonly retryable = false
}

const MAX_NEAR = 5

/** Returns a dataset of the catalog. @throws {NotInCatalogError} that names similar ones. */
export function knownDataset(route: string): Dataset {
  const found = findDataset(route)
  if (found !== null) return found
  const near = searchDatasets({ q: route }).slice(0, MAX_NEAR)
  const hint =
    near.length === 0
      ? '"feeds datasets" lists those that it has'
      : `did you mean ${near.map((dataset) => dataset.route).join(', ')}?`
  throw new NotInCatalogError(`the catalog has no dataset ${route}; ${hint}`)
}

const sectionOf = <T>(all: readonly T[], { offset, limit }: Section): readonly T[] =>
  all.slice(offset, offset + limit)

/** Returns the fields of a report that say which part of all results it has. */
const sectionFields = (all: readonly unknown[], { offset, limit }: Section) => ({
  total: all.length,
  offset,
  more: Math.max(0, all.length - offset - limit),
})

function formatSection(total: number, { offset, limit }: Section, one: string, several = `${one}s`): string {
  const end = Math.min(total, offset + limit)
  const what = total === 1 ? one : several
  if (total === 0) return `no ${one} matches`
  if (offset >= total) return `there are only ${total} ${what}; use an --offset below ${total}`
  if (offset === 0 && end === total) return `${total} ${what}`
  const more = end < total ? `; ${total - end} more with --offset ${end}` : ''
  return `${offset + 1} to ${end} of ${total} ${what}${more}`
}
