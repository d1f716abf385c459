import { type Dataset, datasets, openFacets, SERIES_FACET, seriesFirst } from '@wattfeed/eia/catalog'
import type { DraftField } from '../../../feeds/catalog/feedEntry.ts'
import type { SelectedSeries } from '../../../feeds/catalog/suggestFeed.ts'
import { NewFeedError } from '../../../feeds/file/newFeedError.ts'
import { askChoice, askText, type Choice, type PromptStreams } from '../../prompt.ts'
import type { EiaReads } from '../eiaReads.ts'
import { assertChoice, choose } from './choose.ts'

/** The flags for a new feed. Missing ones are prompted for at a terminal, or suggested. */
export interface NewFeedFlags extends Partial<Record<DraftField, string>> {
  route?: string
  frequency?: string
  column?: string
  /** Values by facet id. */
  facets: Readonly<Record<string, string>>
  allowFuture?: boolean
}

export interface Selection extends SelectedSeries {
  dataset: Dataset
}

export async function selectSeries(
  flags: NewFeedFlags,
  terminal: PromptStreams | null,
  eia: EiaReads | null,
): Promise<Selection> {
  const dataset = await chooseDataset(flags.route, terminal)
  const word = (what: 'frequency' | 'column', words: readonly string[]): Promise<string> =>
    chooseWord(what, words, { given: flags[what], terminal })
  const frequency = await word('frequency', dataset.frequencies)
  const column = await word('column', dataset.columns)
  return { dataset, frequency, column, ...(await chooseFacets(flags.facets, { dataset, terminal, eia })) }
}

/** Chooses one of a dataset's frequencies or columns. */
export function chooseWord(
  what: 'frequency' | 'column',
  words: readonly string[],
  { given, terminal }: { given: string | undefined; terminal: PromptStreams | null },
): Promise<string> {
  const choices = words.map((id) => ({ id, name: id }))
  return choose({ what, flag: `--${what}`, choices }, given, terminal)
}

export async function chooseDataset(
  given: string | undefined,
  terminal: PromptStreams | null,
): Promise<Dataset> {
  const choices = datasets.map(({ route, name }) => ({ id: route, name }))
  const route = await choose({ what: 'dataset', flag: '<route>', choices }, given, terminal)
  const found = datasets.find((dataset) => dataset.route === route)
  if (found !== undefined) return found
  throw new NewFeedError({ reason: 'unknown', message: `<route>: unknown dataset ${route}` })
}

/** Facet values by facet id, and their names if EIA was queried. */
export interface ChosenFacets {
  facets: Record<string, string>
  names: Record<string, string>
}

interface Asked {
  dataset: Dataset
  terminal: PromptStreams | null
  eia: EiaReads | null
}

/**
 * Chooses the facet values that select one series: those that were given and, at a terminal, chosen. `series` needs no
 * others; add none to it, because facets enter the hash.
 *
 * @throws {NewFeedError} for an unknown facet or value, or if some are left open and there is neither a terminal nor an
 * EIA key.
 */
async function chooseFacets(given: Readonly<Record<string, string>>, asked: Asked): Promise<ChosenFacets> {
  const { dataset, terminal, eia } = asked
  assertKnown(Object.keys(given), dataset)
  const chosen: ChosenFacets = { facets: {}, names: {} }
  for (const facet of seriesFirst(dataset.facets)) {
    if (!(facet in given) && (terminal === null || SERIES_FACET in { ...given, ...chosen.facets })) continue
    const choice = await chooseValue(facet, given[facet], asked)
    if (choice === null) continue
    chosen.facets[facet] = choice.id
    chosen.names[facet] = choice.name
  }
  const [open] = openFacets(dataset.facets, chosen.facets)
  if (open !== undefined && terminal === null && eia === null)
    throw new NewFeedError({
      reason: 'missing',
      message: `--facet ${open}=… is missing: without EIA_API_KEY every facet is required`,
    })
  return chosen
}

function assertKnown(facets: readonly string[], { route, facets: known }: Dataset): void {
  const unknown = facets.find((facet) => !known.includes(facet))
  if (unknown !== undefined)
    throw new NewFeedError({
      reason: 'unknown',
      message: `--facet: ${route} has no facet ${unknown}; it has ${known.join(', ') || 'none'}`,
    })
}

/** Returns null if the facet is left open. */
async function chooseValue(
  facet: string,
  given: string | undefined,
  { dataset: { route }, terminal, eia }: Asked,
): Promise<Choice | null> {
  const choices = eia && (await eia.listFacetValues(route, facet))
  const choosing = { what: `value of ${facet}`, flag: '--facet', choices: choices ?? [] }
  if (given !== undefined) return choices ? assertChoice(choosing, given) : { id: given, name: given }
  if (terminal === null) return null
  const message = `${facet} (empty leaves it open)`
  const id =
    choices === null
      ? await askText({ message, suggestion: null, parse: (answer) => answer }, terminal)
      : await askChoice(facet, [leftOpen, ...choices], terminal)
  if (id === '') return null
  return choices?.find((choice) => choice.id === id) ?? { id, name: id }
}

const leftOpen: Choice = { id: '', name: 'leave it open' }
