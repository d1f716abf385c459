import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import type { NewestRow } from './checkUpstream.ts'
import { fill } from './fill.ts'
import { NewFeedError } from './newFeedError.ts'
import type { NewFeedFlags } from './newFeedFlags.ts'
import type { Prompt } from './prompt.ts'
import {
  type Selection,
  suggestDecimals,
  suggestDescription,
  suggestId,
  suggestTitle,
  suggestUnit,
} from './suggestFeed.ts'

/** What an entry is made from. */
export interface Describing {
  selection: Selection
  /** Null where EIA was not asked: then the feed is marked as not verified. */
  newest: NewestRow | null
  flags: NewFeedFlags
  /** Null where nobody can be asked. */
  prompt: Prompt | null
  /** Ids that are taken. */
  takenIds: ReadonlySet<string>
}

/**
 * The entry of a feed that follows a series: as given, else as a person says, else as suggested.
 *
 * Throws a `NewFeedError` that names the flag.
 */
export async function describeFeed(describing: Describing): Promise<FeedConfig> {
  const { selection, newest, flags, prompt, takenIds } = describing
  const fields = FeedConfig.properties
  const parseId = (id: string): string => {
    if (takenIds.has(id)) throw new Error(`${id} is in the feeds file already`)
    return parseText(fields.feed_id, id)
  }
  const ask = <T>(name: TextFlag, suggestion: string | null, parse: (text: string) => T): Promise<T> =>
    fill({ name, given: flags[name], suggestion, parse }, prompt)
  const feedId = await ask('id', suggestId(selection), parseId)
  const title = await ask('title', suggestTitle(selection), (text) => parseText(fields.title, text))
  const description = await ask('description', suggestDescription(selection), (text) =>
    parseText(fields.description, text),
  )
  const stated = newest?.unit ?? null
  const unit = await ask('unit', stated && suggestUnit(stated), (text) => parseText(fields.unit, text))
  const decimals = await ask('decimals', String(suggestDecimals(unit, newest)), parseDecimals)
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
    ...(newest === null ? { unverified: 'EIA was not asked when this entry was written' } : {}),
  })
}

type TextFlag = 'id' | 'title' | 'description' | 'unit' | 'decimals'

function parseText(schema: TSchema, text: string): string {
  if (Value.Check(schema, text)) return text
  throw new Error(`it must be ${schema.description}`)
}

function parseDecimals(text: string): number {
  const { decimals: schema } = FeedConfig.properties
  const decimals = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Value.Check(schema, decimals)) return decimals
  throw new Error(`it must be ${schema.description}`)
}

function assertFeed(feed: object): FeedConfig {
  if (Value.Check(FeedConfig, feed)) return feed
  const { path = '', schema } = Value.Errors(FeedConfig, feed).First() ?? {}
  throw new NewFeedError('wrong_feed', `${path.slice(1)} must be ${schema?.description}`)
}
