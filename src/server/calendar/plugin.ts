import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { calendarBody } from '../../api/schemas.ts'
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
import { contentResponse } from '../http/content.ts'
import { headersSet } from '../http/headers.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { requireOrigin } from '../publicSite.ts'
import type { NewestValuesReader } from '../readers/newestValues.ts'
import type { Server } from '../server.ts'
import { DAYS_AHEAD } from './calendarBody.ts'
import { CalendarReader, MAX_ENTRIES } from './calendarReader.ts'
import { DAYS } from './icalendar.ts'

const MAX_IDS = 100

/** Maximum number of ids of an Atom feed, because each reads about 60 values. */
const MAX_ATOM_IDS = 20

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
  description: `Lists the planned releases of the next ${DAYS_AHEAD} days by EIA’s rules, with their basis. Past releases have the planned time and the block time of the value. \`past\` and \`punctuality\` of a feed are null until its values are read. docs/status.md explains the fields.`,
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
  server: Pick<Server, 'answerAt' | 'site' | 'network' | 'now'>,
  newest: NewestValuesReader,
) {
  const { answerAt, site } = server
  const reader = new CalendarReader(server, newest)
  return new Elysia({ name: 'calendar' })
    .get(
      '/v1/calendar',
      async ({ query: { id: ids }, set }) => {
        const { body, isComplete } = await answerAt(set, (at) => reader.readCalendar(at, ids))
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
        const content = await answerAt(set, (at) => reader.readIcs(at, ids))
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
        const content = await answerAt(set, (at) => reader.readAtom(at, ids, origin))
        return contentResponse(request, content, headersSet(set))
      },
      {
        ...strictQuery({ id: selectedIds(MAX_ATOM_IDS) }),
        headers: conditionalHeaders,
        detail: atomDetail,
      },
    )
}
