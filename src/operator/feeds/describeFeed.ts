import type { StaticDecode, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import {
  suggestDecimals,
  suggestDescription,
  suggestId,
  suggestTitle,
  suggestUnit,
} from '../../catalog/suggestFeed.ts'
import { parseText } from '../../runtime/parseText.ts'
import { schemaFaults } from '../../runtime/schemaFaults.ts'
import type { NewestRow } from './checkUpstream.ts'
import { fill, NewFeedError } from './choose.ts'
import type { PromptStreams } from './prompt.ts'
import type { NewFeedFlags, Selection } from './selectSeries.ts'

export interface Describing {
  selection: Selection
  /** Null if EIA was not queried: then the feed is marked as unverified. */
  newest: NewestRow | null
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
export async function describeFeed(describing: Describing): Promise<FeedConfig> {
  const { selection, newest, flags, terminal, takenIds } = describing
  const fields = FeedConfig.properties
  const parseId = (id: string): string => {
    if (takenIds.has(id)) throw new Error(`${id} is already in the feeds file`)
    return parserOf(fields.feed_id)(id)
  }
  const ask = <T>(name: TextFlag, suggestion: string | null, parse: (text: string) => T): Promise<T> =>
    fill({ name, given: flags[name], suggestion, parse }, terminal)
  const feedId = await ask('id', suggestId(selection), parseId)
  const title = await ask('title', suggestTitle(selection), parserOf(fields.title))
  const description = await ask('description', suggestDescription(selection), parserOf(fields.description))
  const stated = newest?.unit ?? null
  const unit = await ask('unit', stated && suggestUnit(stated), parserOf(fields.unit))
  const decimals = await ask('decimals', String(suggestDecimals(unit, newest)), parserOf(fields.decimals))
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
    ...(newest === null ? { unverified: 'EIA was not queried when this entry was written' } : {}),
  })
}

type TextFlag = 'id' | 'title' | 'description' | 'unit' | 'decimals'

const parserOf =
  <T extends TSchema>(schema: T) =>
  (text: string): StaticDecode<T> => {
    try {
      return parseText(schema, text)
    } catch (error) {
      throw new Error(`it must be ${error instanceof Error ? error.message : error}`)
    }
  }

function assertFeed(feed: object): FeedConfig {
  if (Value.Check(FeedConfig, feed)) return feed
  throw new NewFeedError({ reason: 'wrong_feed', message: schemaFaults(FeedConfig, feed).join('\n') })
}
