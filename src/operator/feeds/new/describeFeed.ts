import type { Static, StaticDecode, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type DraftField, entryOf, type RowsOfSeries, suggestText } from '../../../feeds/catalog/feedEntry.ts'
import { SeriesConfig } from '../../../feeds/file/feedConfig.ts'
import { NewFeedError } from '../../../feeds/file/newFeedError.ts'
import { parseText } from '../../../runtime/settings/parseText.ts'
import { schemaFaults } from '../../../runtime/settings/schemaFaults.ts'
import type { PromptStreams } from '../../prompt.ts'
import { fill } from './choose.ts'
import type { NewFeedFlags, Selection } from './selectSeries.ts'

export interface Describing {
  selection: Selection
  /** Null if EIA was not queried: then the feed is marked as unverified. */
  rows: RowsOfSeries | null
  flags: NewFeedFlags
  /** Null without a terminal. */
  terminal: PromptStreams | null
  /** Ids that are already in use. */
  takenIds: ReadonlySet<string>
}

/**
 * Creates the entry of a feed. Each field comes from its flag, else the answer, else the suggestion.
 *
 * @throws {NewFeedError} naming the flag.
 */
export async function describeFeed(describing: Describing): Promise<SeriesConfig> {
  const { selection, rows, flags, terminal, takenIds } = describing
  const fields = SeriesConfig.properties
  const parseId = (id: string): string => {
    if (takenIds.has(id)) throw new Error(`${id} is already in the feeds file`)
    return parserOf(fields.feed_id)(id)
  }
  const ask = <T>(name: DraftField, parse: (text: string) => T, unit = ''): Promise<T> =>
    fill({ name, given: flags[name], suggestion: suggestText[name](selection, rows, unit), parse }, terminal)
  const id = await ask('id', parseId)
  const title = await ask('title', parserOf(fields.title))
  const description = await ask('description', parserOf(fields.description))
  const unit = await ask('unit', parserOf(fields.unit))
  const decimals = await ask('decimals', parserOf(fields.decimals), unit)
  const texts = { id, title, description, unit, decimals }
  return assertEntry(
    SeriesConfig,
    entryOf(selection, texts, { rows, allowsFuture: flags.allowFuture ?? false }),
  )
}

const parserOf =
  <T extends TSchema>(schema: T) =>
  (text: string): StaticDecode<T> => {
    try {
      return parseText(schema, text)
    } catch (error) {
      throw new Error(`it must be ${error instanceof Error ? error.message : error}`)
    }
  }

/** Asserts that an entry is as its schema says. @throws {NewFeedError} */
export function assertEntry<T extends TSchema>(schema: T, feed: object): Static<T> {
  if (Value.Check(schema, feed)) return feed
  throw new NewFeedError({ reason: 'wrong_feed', message: schemaFaults(schema, feed).join('\n') })
}
