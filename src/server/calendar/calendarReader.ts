import { DAY_MS } from '@wattfeed/base'
import type { Reading, Snapshot } from 'wattfeed'
import { isDatasetFeed } from 'wattfeed/internal'
import type { CalendarBody } from '../../api/schemas.ts'
import { type Content, createContent } from '../http/content.ts'
import { createVariantCache } from '../http/memo.ts'
import { readReading } from '../notFound.ts'
import type { NewestValuesReader } from '../readers/newestValues.ts'
import type { Server } from '../server.ts'
import { ATOM_TYPE, formatAtom } from './atom.ts'
import { readAttestedOf, readNewestAttested } from './attestedValues.ts'
import { formatCalendar } from './calendarBody.ts'
import { formatIcalendar, ICALENDAR_TYPE } from './icalendar.ts'

/** Maximum number of entries of an Atom feed. */
export const MAX_ENTRIES = 50

/** A request reads the values of this many feeds itself. If more are missing, they are read in the background. */
const MAX_DIRECT_FEEDS = 16

/** EIA releases on the hour or the half hour, so the calendar only changes then. */
const STEP_MS = 30 * 60_000

/** Ids of feeds; undefined for all. */
type Ids = readonly string[] | undefined

/** Reads the calendar, and its files for other programs. Each is formatted once until the chain or the time changes it. */
export class CalendarReader {
  readonly #server: Pick<Server, 'site' | 'network' | 'now'>
  readonly #newest: NewestValuesReader
  readonly #calendars = createVariantCache<readonly Reading[], CalendarBody>()
  readonly #icsFiles = createVariantCache<readonly Reading[], Content>()
  readonly #atomFiles = createVariantCache<readonly Reading[], Content>()

  constructor(server: Pick<Server, 'site' | 'network' | 'now'>, newest: NewestValuesReader) {
    this.#server = server
    this.#newest = newest
  }

  /** Reads the calendar of some feeds. It is complete if all their values are known. @throws {FeedNotFoundError} */
  async readCalendar(at: Snapshot, ids: Ids): Promise<{ body: CalendarBody; isComplete: boolean }> {
    const { site, now } = this.#server
    const readings = seriesAmong(await selectFeeds(at, ids))
    const isComplete = await this.#readPast(at, readings)
    const facts = { readings, newestOf: this.#newest.peek, site, now: roundDown(now(), STEP_MS) }
    if (!isComplete) return { body: formatCalendar(facts), isComplete }
    const variant = { ids, now: facts.now }
    const body = await this.#calendars(await at.listReadings(), variant, async () => formatCalendar(facts))
    return { body, isComplete }
  }

  /** Returns whether the values of all feeds are known. Reads those of a few, and of many in the background. */
  async #readPast(at: Snapshot, readings: readonly Reading[]): Promise<boolean> {
    const newest = this.#newest
    const missing = readings.filter((reading) => newest.peek(reading) === null)
    if (missing.length > MAX_DIRECT_FEEDS) newest.fill(readings)
    else await Promise.all(missing.map((reading) => newest.read(at, reading)))
    // The cache may have dropped some meanwhile.
    return readings.every((reading) => newest.peek(reading) !== null)
  }

  /** Reads the planned releases of some feeds as iCalendar. @throws {FeedNotFoundError} */
  async readIcs(at: Snapshot, ids: Ids): Promise<Content> {
    const { site, network, now } = this.#server
    const readings = seriesAmong(await selectFeeds(at, ids))
    const facts = { readings, site, chainName: network.chainName, now: roundDown(now(), DAY_MS) }
    return this.#icsFiles(await at.listReadings(), { ids, now: facts.now }, async () =>
      createContent(await formatIcalendar(facts), ICALENDAR_TYPE),
    )
  }

  /**
   * Reads the newest values of some feeds as an Atom feed.
   *
   * @param origin where readers find this server
   * @throws {FeedNotFoundError}
   */
  async readAtom(at: Snapshot, ids: Ids, origin: string): Promise<Content> {
    const { site, network } = this.#server
    const readings = await selectFeeds(at, ids)
    return this.#atomFiles(await at.listReadings(), { ids }, async () => {
      const values =
        ids === undefined
          ? await readNewestAttested(at, MAX_ENTRIES)
          : await readAttestedOf(at, readings, this.#newest, MAX_ENTRIES)
      const facts = { values, ids, site, origin, chainName: network.chainName }
      return createContent(await formatAtom(facts), ATOM_TYPE)
    })
  }
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
