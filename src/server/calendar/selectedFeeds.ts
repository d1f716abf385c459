import { Type } from '@sinclair/typebox'
import type { Reading, Snapshot } from '../../client/index.ts'
import { feedIds } from '../http/apiDocs.ts'
import { versionAt } from '../http/headers.ts'
import { FeedNotFoundError } from '../notFound.ts'

/** The query parameter that limits a response to some feeds. */
export const selectedIds = (maxItems: number) =>
  Type.Optional(
    Type.Array(Type.String(), {
      ...feedIds,
      maxItems,
      description: 'Feed id. Repeat the parameter for more feeds. Without it: all feeds.',
      examples: feedIds.examples.slice(0, 1),
    }),
  )

/**
 * Returns the readings with these ids in the order of the list; all without ids.
 *
 * @throws {FeedNotFoundError} when an id is not registered or has no value.
 */
export async function selectFeeds(
  at: Snapshot,
  ids: readonly string[] | undefined,
): Promise<readonly Reading[]> {
  const readings = await at.listReadings()
  if (ids === undefined) return readings
  const wanted = new Set(ids)
  const selected = readings.filter(({ feed_id }) => wanted.delete(feed_id))
  for (const id of wanted)
    if ((await at.getReading(id)) === null)
      throw new FeedNotFoundError(id, at.stateRootHash, await versionAt(at))
  return selected
}
