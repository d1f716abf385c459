import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Reading, Snapshot } from 'wattfeed'
import { isDatasetFeed } from 'wattfeed/internal'
import { type CalendarBody, calendarBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import {
  chainAnswerHeaders,
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  feedIds,
  publicUrlError,
  textAnswers,
} from '../http/apiDocs.ts'
import { type Content, contentResponse, createContent } from '../http/content.ts'
import { headersSet } from '../http/headers.ts'
import { createVariantCache } from '../http/memo.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { readReading } from '../notFound.ts'
import { requireOrigin } from '../publicSite.ts'
import type { NewestValuesReader } from '../readers/newestValues.ts'
import type { Server } from '../server.ts'
import { ATOM_TYPE, formatAtom } from './atom.ts'
import { readAttestedOf, readNewestAttested } from './attestedValues.ts'
import { DAYS_AHEAD, formatCalendar } from './calendarBody.ts'
import { DAYS, formatIcalendar, ICALENDAR_TYPE } from './icalendar.ts'

const MAX_IDS = 100

/** Maximum number of ids of an Atom feed, because each reads about 60 values. */
const MAX_ATOM_IDS = 20

const MAX_ENTRIES = 50

/** A request reads the values of this many feeds itself. If more are missing, they are read in the background. */
const MAX_DIRECT_FEEDS = 16

/** EIA releases on the hour or the half hour, so the calendar only changes then. */
const STEP_MS = 30 * 60_000

const DAY_MS = 86_400_000

/** The query parameter that limits a response to some feeds. */
const selectedIds = (maxItems: number) =>
  Type.Optional(
    Type.Array(Type.String(), {
      ...feedIds,
      maxItems,
      description: 'Feed id. Repeat the parameter for more feeds. Without it: all feeds.',
      examples: feedIds.examples.slice(0, 1),
    }),
  )

const calendarAnswer = answerSchema('Calendar', calendarBody, {
  description: 'The calendar.',
  headers: chainAnswerHeaders,
})

const { 400: badRequest, 404: notFound, 429: busy } = errorAnswers

const calendarDetail = {
  operationId: 'getCalendar',
  summary: 'List planned releases, and how punctual past ones were',
  description: `The planned releases of the next ${DAYS_AHEAD} days by EIA’s rules, with their basis. Of past releases, the planned time and the block time of the value. \`past\` and \`punctuality\` of a feed are null until its values are read. docs/status.md explains the fields.`,
  tags: ['feeds'],
}

const icalendarDetail = {
  operationId: 'getIcalendar',
  summary: 'Subscribe to planned releases in a calendar program',
  description: `The planned releases as iCalendar (RFC 5545), from ${DAYS.before} days ago to ${DAYS.after} days ahead. Releases that come every hour are left out.`,
  tags: ['feeds'],
  responses: textAnswers('The calendar.', 'text/calendar', 'BEGIN:VCALENDAR\r\n…', {
    400: badRequest,
    404: notFound,
    ...chainErrors,
  }),
}

const atomDetail = {
  operationId: 'getAtomFeed',
  summary: 'Subscribe to attested values in a feed reader',
  description: `The newest ${MAX_ENTRIES} attested values as an Atom feed (RFC 4287): of all feeds, or of some. A feed that does not exist is a 404. So is every request if \`PUBLIC_URL\` is not set.`,
  tags: ['feeds'],
  responses: textAnswers('The feed.', 'application/atom+xml', '<?xml version="1.0" encoding="utf-8"?>…', {
    400: badRequest,
    404: publicUrlError,
    429: busy,
    ...chainErrors,
  }),
}

/** Planned releases, and values as they are attested: as JSON, and for calendar programs and feed readers. */
export function calendar(
  { answerAt, site, network, now }: Pick<Server, 'answerAt' | 'site' | 'network' | 'now'>,
  newest: NewestValuesReader,
) {
  const { chainName } = network
  const calendars = createVariantCache<readonly Reading[], CalendarBody>()
  const icsFiles = createVariantCache<readonly Reading[], Content>()
  const atomFiles = createVariantCache<readonly Reading[], Content>()

  /** Returns whether the values of all feeds are known. Reads those of a few, and of many in the background. */
  async function readPast(at: Snapshot, readings: readonly Reading[]): Promise<boolean> {
    const missing = readings.filter((reading) => newest.peek(reading) === null)
    if (missing.length > MAX_DIRECT_FEEDS) newest.fill(readings)
    else await Promise.all(missing.map((reading) => newest.read(at, reading)))
    // The cache may have dropped some meanwhile.
    return readings.every((reading) => newest.peek(reading) !== null)
  }

  async function readCalendar(at: Snapshot, ids: readonly string[] | undefined) {
    const readings = seriesAmong(await selectFeeds(at, ids))
    const isComplete = await readPast(at, readings)
    const facts = { readings, newestOf: newest.peek, site, now: roundDown(now(), STEP_MS) }
    if (!isComplete) return { body: formatCalendar(facts), isComplete }
    const options = { ids, now: facts.now }
    const body = await calendars(await at.listReadings(), options, async () => formatCalendar(facts))
    return { body, isComplete }
  }

  return new Elysia({ name: 'calendar' })
    .get(
      '/v1/calendar',
      async ({ query: { id: ids }, set }) => {
        const { body, isComplete } = await answerAt(set, (at) => readCalendar(at, ids))
        if (!isComplete) set.headers['cache-control'] = 'no-store'
        return body
      },
      {
        ...strictQuery({ id: selectedIds(MAX_IDS) }),
        headers: conditionalHeaders,
        response: { 200: calendarAnswer, 400: badRequest, 404: notFound, 429: busy, ...chainErrors },
        detail: calendarDetail,
      },
    )
    .get(
      '/calendar.ics',
      async ({ request, query: { id: ids }, set }) => {
        const content = await answerAt(set, async (at) => {
          const readings = seriesAmong(await selectFeeds(at, ids))
          const facts = { readings, site, chainName, now: roundDown(now(), DAY_MS) }
          return icsFiles(await at.listReadings(), { ids, now: facts.now }, async () =>
            createContent(await formatIcalendar(facts), ICALENDAR_TYPE),
          )
        })
        const own = { 'content-disposition': 'inline; filename="wattfeed.ics"' }
        return contentResponse(request, content, { ...headersSet(set), ...own })
      },
      {
        ...strictQuery({ id: selectedIds(MAX_IDS) }),
        headers: conditionalHeaders,
        detail: icalendarDetail,
      },
    )
    .get(
      '/feed.atom',
      async ({ request, query: { id: ids }, set }) => {
        const origin = requireOrigin(site, '/feed.atom')
        const content = await answerAt(set, async (at) => {
          const readings = await selectFeeds(at, ids)
          return atomFiles(await at.listReadings(), { ids }, async () => {
            const values =
              ids === undefined
                ? await readNewestAttested(at, MAX_ENTRIES)
                : await readAttestedOf(at, readings, newest, MAX_ENTRIES)
            return createContent(await formatAtom({ values, ids, site, origin, chainName }), ATOM_TYPE)
          })
        })
        return contentResponse(request, content, headersSet(set))
      },
      {
        ...strictQuery({ id: selectedIds(MAX_ATOM_IDS) }),
        headers: conditionalHeaders,
        detail: atomDetail,
      },
    )
}

const roundDown = (ms: number, stepMs: number): number => Math.floor(ms / stepMs) * stepMs

/** The calendar is about statistics. Roots of a dataset follow each of its changes, and say nothing of their releases. */
const seriesAmong = (readings: readonly Reading[]): readonly Reading[] =>
  readings.filter((reading) => !isDatasetFeed(reading))

/**
 * Returns the readings with these ids in the order of the list; all without ids.
 *
 * @throws {FeedNotFoundError} when an id is not registered or has no value.
 */
async function selectFeeds(at: Snapshot, ids: readonly string[] | undefined): Promise<readonly Reading[]> {
  const readings = await at.listReadings()
  if (ids === undefined) return readings
  const wanted = new Set(ids)
  const selected = readings.filter(({ feed_id }) => wanted.has(feed_id))
  const unlisted = wanted.difference(new Set(selected.map(({ feed_id }) => feed_id)))
  // Only for the error. A feed that a contract registered without an event has a value, but the list lacks it: it is left out.
  for (const id of unlisted) await readReading(at, id)
  return selected
}
