import { isForecast } from '@wattfeed/eia'
import type { RowsOfSeries } from '../../../feeds/catalog/feedEntry.ts'
import { mostFractionDigits, usualDecimals } from '../../../feeds/catalog/suggestFeed.ts'
import type { SeriesConfig } from '../../../feeds/file/feedConfig.ts'
import { NewFeedError } from '../../../feeds/file/newFeedError.ts'
import { askChoice, type PromptStreams } from '../../prompt.ts'
import { checkSelection } from '../check/checkFeeds.ts'
import { formatValues } from '../check/checks.ts'
import type { FacetInRows, NewestRow } from '../check/checkUpstream.ts'
import { cacheEiaReads, type EiaReads } from '../eiaReads.ts'
import { describeFeed } from './describeFeed.ts'
import { type NewFeedFlags, type Selection, selectSeries } from './selectSeries.ts'

export interface NewFeedOptions {
  /** Null without a terminal. */
  terminal: PromptStreams | null
  /** Null without a key: then the feed is marked as unverified. */
  eia: EiaReads | null
  /** Ids that are already in use. */
  takenIds: ReadonlySet<string>
  /** Epoch milliseconds. */
  now: () => number
  warn: (message: string) => void
}

/**
 * Creates the entry of a new feed, checked against EIA if there is a key.
 *
 * @throws {NewFeedError} naming the flag that is missing or wrong, or the check that failed at EIA.
 */
export async function newFeed(flags: NewFeedFlags, options: NewFeedOptions): Promise<SeriesConfig> {
  const { terminal, takenIds, now, warn } = options
  const eia = options.eia && cacheEiaReads(options.eia)
  const selected = await selectSeries(flags, terminal, eia)
  const { selection, newest, rows } = eia
    ? await verifySelection(selected, { ...options, eia })
    : { selection: selected, newest: null, rows: null }
  const feed = await describeFeed({ selection, rows, flags, terminal, takenIds })
  if (terminal === null) for (const taken of listTaken(feed, flags, rows)) warn(taken)
  if (newest === null)
    warn(
      'EIA_API_KEY is not set: the entry is marked "unverified"; set it and run "check" to verify the feed',
    )
  else if (feed.allow_future !== true && isForecast(feed.frequency, newest.period, now()))
    warn(
      `the newest period, ${newest.period}, is not over, so its value is a forecast: without --allow-future it is not attested`,
    )
  return feed
}

/** Says what nobody gave or was asked for: a title is on chain, and decimals can never change there. */
function listTaken(
  { title, decimals, unit }: SeriesConfig,
  flags: NewFeedFlags,
  rows: RowsOfSeries | null,
): string[] {
  const usual = `${usualDecimals(unit)} are usual for the unit ${unit}`
  const basis =
    rows === null
      ? `without any row: ${usual}`
      : `from the newest ${rows.values.length} rows, which have at most ${mostFractionDigits(rows.values)} digits after the decimal point; ${usual}`
  return [
    ...(flags.title === undefined
      ? [`took --title ${JSON.stringify(title)} from dataset, column and facets`]
      : []),
    ...(flags.decimals === undefined
      ? [`took --decimals ${decimals} ${basis}. It cannot change once the feed has values`]
      : []),
  ]
}

interface Verified {
  selection: Selection
  newest: NewestRow | null
  rows: RowsOfSeries | null
}

type Verifying = Pick<NewFeedOptions, 'terminal' | 'warn'> & { eia: EiaReads }

/** Checks a selection at EIA. At a terminal, prompts for the facets that leave several series open. */
async function verifySelection(selection: Selection, verifying: Verifying): Promise<Verified> {
  const { eia, terminal, warn } = verifying
  const { dataset, frequency, column, facets } = selection
  const { checks, newest, values, toPin } = await checkSelection(
    { route: dataset.route, frequency, column, facets },
    eia,
  )
  const [first] = toPin
  if (first !== undefined) {
    if (terminal === null)
      throw new NewFeedError({ reason: 'missing', message: toPin.map(howToPin).join('\n') })
    return verifySelection(await pin(selection, first, { eia, terminal }), verifying)
  }
  // The new entry gets the unit that rows state.
  const looked = checks.filter(({ check }) => check !== 'upstream_unit')
  const faults = looked.filter(({ state }) => state === 'failed')
  if (faults.length > 0)
    throw new NewFeedError({ reason: 'wrong_feed', message: faults.map(({ detail }) => detail).join('\n') })
  for (const { detail } of looked.filter(({ state }) => state === 'warned')) warn(detail)
  return { selection, newest, rows: newest && { unit: newest.unit, values } }
}

const howToPin = ({ facet, values }: FacetInRows): string =>
  `--facet ${facet}=… is missing: EIA has rows of several series, with the values ${formatValues(values)}`

/** Prompts for the value of a facet, among the values in the rows. */
async function pin(
  selection: Selection,
  { facet, values }: FacetInRows,
  { eia, terminal }: { eia: EiaReads; terminal: PromptStreams },
): Promise<Selection> {
  const known = await eia.listFacetValues(selection.dataset.route, facet)
  const nameOf = (id: string): string => known.find((each) => each.id === id)?.name ?? id
  const choices = values.filter((id) => id !== null).map((id) => ({ id, name: nameOf(id) }))
  const id = await askChoice(`${facet} (must be pinned: EIA has rows of several series)`, choices, terminal)
  return {
    ...selection,
    facets: { ...selection.facets, [facet]: id },
    names: { ...selection.names, [facet]: nameOf(id) },
  }
}
