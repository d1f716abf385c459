import { EiaNoRowsError, type EiaRow, encodePeriod } from '@wattfeed/eia'
import type { PastValues } from '../../../../src/agent/committee/checkBackfill.ts'
import type { MemberView } from '../../../../src/agent/committee/memberState.ts'
import { type Refusal, refuse } from '../../../../src/agent/committee/refusal.ts'
import { attestRows } from '../../../../src/agent/plan/attestRows.ts'
import type { SourcedAttestation } from '../../../../src/agent/plan/decide.ts'
import { type FeedPlan, planFeed } from '../../../../src/agent/plan/plan.ts'
import {
  FeedNotRegisteredError,
  feedMetadata,
  type SeriesConfig,
} from '../../../../src/feeds/file/feedConfig.ts'
import { feedOf, owner, rowOf } from '../../run/fakes.ts'
import type { ModelChain } from './chain.ts'
import type { Clock } from './clock.ts'

/** A value that EIA publishes: of a new period, or another one of the newest period. */
export interface Release {
  readonly feedId: string
  readonly row: EiaRow
  readonly period: number
  /** The value times 10^decimals. */
  readonly amount: bigint
  readonly time: number
}

/** EIA's releases of all feeds. */
export interface EiaModel {
  readonly feeds: readonly SeriesConfig[]
  readonly releases: readonly Release[]
  /** Values of the past, which members only attest in a backfill. */
  readonly past: readonly Release[]
}

/** Periods of the past of a feed. */
const PAST = 8
const DAY_MS = 24 * 60 * 60_000
const FIRST_DAY = Date.parse('2026-01-01')

/** Creates releases of three feeds, which are released together, every 5 to 8 minutes. Every fifth is a revision. */
export function createEiaModel(start: number, end: number, random: () => number): EiaModel {
  const feeds = ['A', 'B', 'C'].map((name) => feedOf(name, { allow_future: true }))
  const releases: Release[] = []
  let day = 0
  for (let time = start + 150_000; time < end; time += 300_000 + 180_000 * random()) {
    const isRevision = day > 0 && random() < 0.2
    if (!isRevision) day += 1
    const date = new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10)
    for (const { feed_id: feedId } of feeds) {
      const cents = 1_000 + releases.length
      const row = rowOf({ period: date, value: (cents / 100).toFixed(2) })
      releases.push({ feedId, row, period: encodePeriod('daily', date), amount: BigInt(cents), time })
    }
  }
  return { feeds, releases, past: feeds.slice(0, 2).flatMap(({ feed_id }) => createPast(feed_id, start)) }
}

function createPast(feedId: string, time: number): Release[] {
  return Array.from({ length: PAST }, (_, index) => {
    const date = new Date(FIRST_DAY - (PAST - index) * DAY_MS).toISOString().slice(0, 10)
    const row = rowOf({ period: date, value: (index / 100).toFixed(2) })
    return { feedId, row, period: encodePeriod('daily', date), amount: BigInt(index), time }
  })
}

/** Lists the past of a feed, oldest first. */
export function listPast(model: EiaModel, feedId: string, isLying = false): readonly SourcedAttestation[] {
  const feed = model.feeds.find(({ feed_id }) => feed_id === feedId)
  const rows = model.past.filter((each) => each.feedId === feedId).map(({ row }) => row)
  if (feed === undefined) return []
  const seen = rows.map((row) => (isLying ? { ...row, value: '6.66' } : row))
  return attestRows(seen, { feed, now: FIRST_DAY }).attestations
}

/** The feed that some members may lack in their feeds files. */
export const DISPUTED = 'EIA.C'

/** How EIA's server of a member behaves. */
export interface Upstream {
  /** How long after a release the server has it, in milliseconds. */
  readonly lagMs: () => number
  readonly isLying: boolean
  /** Whether the member's feeds file lacks the disputed feed. */
  readonly lacksDisputed: boolean
  /** How long the server takes at most to answer, in milliseconds. */
  readonly answerMs: number
}

/** EIA as one member sees it. */
export interface MemberEia {
  plan(feedId: string, view: MemberView): Promise<FeedPlan>
  readPast(
    feedId: string,
    past: readonly { period: number }[],
    view: MemberView,
  ): Promise<PastValues | { refusal: Refusal }>
}

/** At most one request for a feed in this time. */
const FETCH_MS = 30_000

export interface MemberEiaOptions extends Upstream {
  model: EiaModel
  chain: ModelChain
  clock: Clock
  random: () => number
  /** Called with the releases that this member has fetched. */
  onFetched: (releases: readonly Release[]) => void
}

/** Creates a member's access to EIA, with its limit of requests. */
export function createMemberEia(options: MemberEiaOptions): MemberEia {
  const { model, chain, clock, random, isLying, lagMs, answerMs, onFetched } = options
  // What is released together appears together.
  const visibleAt = new Map(model.releases.map(({ time }) => [time, time + lagMs()]))
  const asked = new Map<string, { at: number; range: string }>()
  const cached = new Map<string, { at: number; rows: Promise<readonly EiaRow[]> }>()

  async function request(feedId: string): Promise<readonly EiaRow[]> {
    await clock.sleep(answerMs * (0.1 + 0.9 * random()))
    const visible = model.releases.filter(
      (each) => each.feedId === feedId && (visibleAt.get(each.time) ?? 0) <= clock.now(),
    )
    onFetched(visible)
    const newest = new Map(visible.map((each) => [each.row.period, each.row]))
    return [...newest.values()].reverse().map((row) => (isLying ? { ...row, value: '6.66' } : row))
  }

  function fetchRows(feedId: string): Promise<readonly EiaRow[]> {
    const known = cached.get(feedId)
    if (known !== undefined && clock.now() < known.at + FETCH_MS) return known.rows
    const rows = request(feedId)
    cached.set(feedId, { at: clock.now(), rows })
    return rows
  }

  return {
    async readPast(feedId, past, { block }) {
      const range = JSON.stringify([past[0]?.period, past.at(-1)?.period])
      const last = asked.get(feedId)
      if (last !== undefined && clock.now() < last.at + FETCH_MS) {
        if (last.range !== range) return { refusal: refuse('not_released', 'other periods were requested') }
      } else asked.set(feedId, { at: clock.now(), range })
      await clock.sleep(answerMs * (0.1 + 0.9 * random()))
      const own = new Map(listPast(model, feedId, isLying).map((each) => [each.period, each]))
      return { own, prints: chain.prints(feedId, block.height) }
    },
    async plan(feedId, { block }) {
      const feed = model.feeds.find(({ feed_id }) => feed_id === feedId)
      if (feed === undefined || (options.lacksDisputed && feedId === DISPUTED))
        return { feedId, error: new FeedNotRegisteredError({ feedId }), about: { row: null, result: null } }
      const rows = await fetchRows(feedId)
      const [newest = null] = rows
      const entry = chain.latest(feedId, block.height)
      const latest = entry && { ...entry, attester: owner, timestamp: entry.time }
      const seen = {
        block,
        time: clock.now(),
        state: { feed: feedMetadata(feed), latest, claimant: owner },
        newest,
        rows: rows.slice(1).filter(({ period }) => latest && encodePeriod('daily', period) > latest.period),
        prints: new Map(),
        gaps: [],
        maxPeriods: 100,
        failure: newest === null ? new EiaNoRowsError({ route: feed.route, status: 200 }) : null,
      }
      const terms = {
        chainName: 'model',
        accountHash: owner,
        offersMany: true,
        paymentMotes: null,
        maxSteps: null,
      }
      return planFeed(feed, seen, terms)
    },
  }
}
