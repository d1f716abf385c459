import { awaitedCalendar } from '../../../src/agent/intervals.ts'
import { statusOf } from '../../../src/feeds/status/feedStatus.ts'
import { intervals } from './agentRuns.ts'
import type { ModelFeed, ModelRow } from './eiaModel.ts'
import { isNumber } from './eiaModel.ts'
import { attestableAt } from './feedKinds.ts'
import type { PriceDataset } from './priceDataset.ts'
import type { Trouble, Truth } from './truth.ts'
import { awaitedPeriods, type Witness } from './witness.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './world.ts'

/** The model's state at one moment. */
export interface Known {
  feeds: readonly ModelFeed[]
  prices: Pick<PriceDataset, 'config' | 'hasLost' | 'isLate'>
  truth: Truth
  witness: Pick<Witness, 'seen'>
  /** The true time, in epoch milliseconds. */
  nowMs: number
}

/** What the pace of the agent depends on. */
type Looked = Pick<ModelFeed, 'config'> | Pick<PriceDataset, 'config'>

/** A condition that an operator needs to know about, and how `/health` must report it. */
export interface Alarm {
  name: string
  /** The reasons in `/health` that report it. */
  codes: RegExp
  /** Reasons that a feed may have instead, because it has only one error at a time. @default none */
  instead?: RegExp
  /** A text that the message must contain. @default anything */
  says?: RegExp
  /** The subjects for which the condition holds now: ids of feeds, or '' if it is not about one feed. */
  holds: (known: Known) => string[]
  /** The missing periods of a feed, for a condition about periods: each starts its own deadline. @default none */
  periods?: (feed: ModelFeed, known: Known) => readonly number[]
  /** Subjects that may be reported too, because the condition nearly holds. @default nothing more */
  nearly?: (known: Known) => string[]
  /** The latest time until it is reported, in milliseconds, for a feed or in general. */
  appearsMs: (feed: Looked | undefined) => number
  /** Whether the agent must observe the condition for that time, so that the deadline starts with the agent. @default false */
  isWatched?: boolean
  /** The latest time until the report disappears. */
  disappearsMs: (feed: Looked | undefined) => number
  /** Troubles that may hide it: the deadline starts when they end. @default all that block a decision about a feed */
  hiddenBy?: readonly Trouble[]
}

/** Without any of these, each poll of a feed succeeds. */
const readObstacles: readonly Trouble[] = [
  'network down',
  'first node',
  'second node',
  'no blocks',
  'EIA down',
  'EIA throttles',
  'key refused',
]

/** Without any of these, the agent also attests the values that it finds. */
export const obstacles: readonly Trouble[] = [
  ...readObstacles,
  'low balance',
  'archive blocked',
  'disk full',
  'state new',
]

/** Interval between comparisons of health with the model. */
export const AUDIT_MS = 10 * MINUTE_MS

const SLACK_MS = 30 * MINUTE_MS
/** Number of a feed's newest rows that are searched for values that the chain lacks. */
const MOST_LACKING = 100

/** The longest interval between two polls of a working feed, with the jitter. */
export function lookMs(feed: Looked | undefined): number {
  if (feed === undefined) return 1.1 * intervals.hourly + SLACK_MS
  const longest = awaitedCalendar(feed.config, new Set()) === null ? 0 : DAY_MS
  return 1.1 * Math.max(intervals[feed.config.frequency], longest) + SLACK_MS
}

const during =
  (...troubles: Trouble[]) =>
  ({ truth }: Pick<Known, 'truth'>): string[] =>
    troubles.some(truth.isOn) ? [''] : []

/** Includes troubles that ended since the last comparison. */
const lately =
  (...troubles: Trouble[]) =>
  ({ truth, nowMs }: Known): string[] =>
    troubles.some((each) => nowMs <= (truth.spell([each])?.untilMs ?? 0) + AUDIT_MS)
      ? ['']
      : during(...troubles)({ truth })

const where =
  (test: (feed: ModelFeed, known: Known) => boolean) =>
  (known: Known): string[] =>
    known.feeds.filter((feed) => test(feed, known)).map(({ config }) => config.feed_id)

const attestableRows = (feed: ModelFeed, nowMs: number): ModelRow[] =>
  [...feed.rows.slice(-5), ...feed.mistakes]
    .filter((row) => attestableAt(feed.config, row.startMs) <= nowMs)
    .sort((a, b) => a.integer - b.integer)

const newestRow = (feed: ModelFeed, { nowMs }: Known): ModelRow | undefined =>
  attestableRows(feed, nowMs).at(-1)

const isLate = (feed: ModelFeed, { witness, nowMs }: Known): boolean => {
  const { latest } = witness.seen(feed)
  if (latest === null) return false
  const { period, timestamp: updated_at } = latest
  const status = statusOf({ ...feed.onChain, feed_id: feed.config.feed_id, period, updated_at })
  const { state } = status(nowMs)
  return state === 'late' || state === 'stale'
}

const hasNoValue = (feed: ModelFeed, { witness }: Known): boolean => witness.seen(feed).latest === null

function isDoubled(feed: ModelFeed, known: Known): boolean {
  const [second, newest] = attestableRows(feed, known.nowMs).slice(-2)
  return newest !== undefined && second?.integer === newest.integer && second.value !== newest.value
}

/** The periods of rows that the chain lacks and that are later than the feed's first value there. */
function missingPeriods(feed: ModelFeed, { witness, nowMs }: Known): readonly number[] {
  const seen = witness.seen(feed)
  const { first, periods } = seen
  const isAwaited = awaitedPeriods(feed, seen)
  const lacks = ({ integer }: ModelRow) =>
    first !== null && integer > first && !periods.has(integer) && isAwaited(integer)
  return feed.rows
    .slice(-MOST_LACKING)
    .filter((row) => row.isOwed && lacks(row) && attestableAt(feed.config, row.startMs) <= nowMs)
    .map(({ integer }) => integer)
}

/** The period of EIA's newest row, if the row has a number that the chain lacks: then the agent polls often. */
function lackedNewest(feed: ModelFeed, known: Known): readonly number[] {
  const { latest } = known.witness.seen(feed)
  const row = newestRow(feed, known)
  const isLacked = latest !== null && row !== undefined && isNumber(row) && row.integer > latest.period
  return isLacked ? [row.integer] : []
}

/** Holds while a trouble lasts and a usable feed has a newer value than the chain. */
const lackedDuring =
  (trouble: Trouble) =>
  (known: Known): string[] =>
    known.feeds.some((feed) => lackedNewest(feed, known).length > 0 && !isUnusable(feed, known))
      ? during(trouble)(known)
      : []

const lacking = (periods: NonNullable<Alarm['periods']>): Pick<Alarm, 'holds' | 'periods'> => ({
  holds: where((feed, known) => periods(feed, known).length > 0),
  periods,
})

/** Whether the feed's calendar has a period that the chain lacks, and that EIA lacks or has without a number. */
function hasHole(feed: ModelFeed, known: Known): boolean {
  const { periods } = known.witness.seen(feed)
  return (
    feed.skipped.length > 0 || feed.rows.slice(-MOST_LACKING).some(({ integer }) => !periods.has(integer))
  )
}

const isBehindChain = (feed: ModelFeed, known: Known): boolean => {
  const { latest } = known.witness.seen(feed)
  const newest = newestRow(feed, known)
  return latest !== null && newest !== undefined && newest.integer < latest.period
}

/** Whether another program has attested a value of the feed since the agent started, which forgets earlier alarms. */
const isDoubledWhileRunning = ({ isDoubledElsewhere }: ModelFeed, { truth }: Known): boolean =>
  isDoubledElsewhere &&
  (truth.spell(['other writer'])?.sinceMs ?? 0) >
    (truth.spell(['agent down'])?.untilMs ?? Number.POSITIVE_INFINITY)

/** Whether no poll of a feed can succeed, until EIA or the operator corrects something. */
export const isUnusable = (feed: ModelFeed, known: Known): boolean =>
  feed.unit !== (feed.config.upstream_unit ?? null) ||
  Object.keys(feed.edits).length > 0 ||
  isDoubled(feed, known) ||
  noNumber.test(newestRow(feed, known)?.value ?? '')

const isPolledOften = ({ config }: ModelFeed): boolean => /hourly|daily/.test(config.frequency)

/** Errors that last until EIA or the operator corrects their cause. */
const feedErrors = /^(unit_changed|feed_mismatch|eia_doubled_period|not_a_number)$/

const noNumber = /^(NaN|1,234\.5)$/

/** Every condition that an operator needs to know about. */
export const alarms: readonly Alarm[] = [
  {
    name: 'a feed is late by EIA’s calendar, grace included',
    codes: /^late$/,
    holds: where(isLate),
    // Without a value, it is late an hour after the first poll.
    nearly: (known) => [
      ...(known.prices.isLate(known.nowMs) ? [''] : lately('clock wrong')(known)),
      ...where(hasNoValue)(known),
    ],
    appearsMs: () => SLACK_MS,
    disappearsMs: () => SLACK_MS,
    hiddenBy: ['network down', 'first node', 'second node', 'clock wrong'],
  },
  {
    name: 'the dataset has lost values',
    codes: /^dataset_shrank$/,
    says: /EIA has lost/,
    holds: ({ prices }) => (prices.hasLost() ? [''] : []),
    appearsMs: () => 1.1 * intervals.daily + SLACK_MS,
    disappearsMs: () => 1.1 * intervals.daily + SLACK_MS,
  },
  {
    name: 'the unit changed',
    codes: /^unit_changed$/,
    instead: feedErrors,
    holds: where((feed) => feed.unit !== (feed.config.upstream_unit ?? null)),
    appearsMs: lookMs,
    disappearsMs: lookMs,
    hiddenBy: readObstacles,
  },
  {
    name: 'the feed differs from its recipe on chain',
    codes: /^feed_mismatch$/,
    holds: where(({ edits }) => Object.keys(edits).length > 0),
    appearsMs: lookMs,
    disappearsMs: lookMs,
    hiddenBy: readObstacles,
  },
  {
    name: 'the newest period has two values',
    codes: /^eia_doubled_period$/,
    instead: feedErrors,
    holds: where(isDoubled),
    nearly: where(({ mistakes }) => mistakes.length > 0),
    appearsMs: lookMs,
    disappearsMs: lookMs,
    // With a slow clock, the agent takes an earlier row as the newest.
    hiddenBy: [...readObstacles, 'clock wrong'],
  },
  {
    name: 'the newest value is neither a number nor withheld',
    codes: /^not_a_number$/,
    instead: feedErrors,
    holds: where((feed, known) => noNumber.test(newestRow(feed, known)?.value ?? '')),
    // With a slow clock, the agent takes an earlier row as the newest.
    nearly: where(({ rows }) => rows.slice(-5).some(({ value }) => noNumber.test(value ?? ''))),
    appearsMs: lookMs,
    disappearsMs: lookMs,
    hiddenBy: [...readObstacles, 'clock wrong'],
  },
  {
    name: 'the chain lacks EIA’s newest period',
    codes: /^gaps$/,
    instead: feedErrors,
    ...lacking(lackedNewest),
    appearsMs: (feed) => 1.1 * intervals[feed?.config.frequency ?? 'hourly'] + SLACK_MS,
    disappearsMs: lookMs,
    hiddenBy: [...obstacles, 'clock wrong'],
  },
  {
    name: 'the chain lacks periods that EIA has',
    codes: /^gaps$/,
    instead: feedErrors,
    // While EIA shows older periods only, they wait, and the alarm for that says why.
    ...lacking((feed, known) => (isBehindChain(feed, known) ? [] : missingPeriods(feed, known))),
    nearly: where(hasHole),
    appearsMs: lookMs,
    disappearsMs: lookMs,
    hiddenBy: [...obstacles, 'clock wrong'],
  },
  {
    name: 'EIA shows older periods only than the chain has',
    codes: /^older_than_chain$/,
    instead: feedErrors,
    holds: where(isBehindChain),
    // With a slow clock the agent does not take the newest rows.
    nearly: lately('clock wrong'),
    // One of EIA's servers may lag, so this takes at least two polls.
    appearsMs: (feed) => 2 * lookMs(feed) + HOUR_MS,
    isWatched: true,
    disappearsMs: lookMs,
    hiddenBy: [...obstacles, 'clock wrong'],
  },
  {
    name: 'the clock is wrong by more than 30 s',
    codes: /^clock$/,
    says: /\d{4}-\d\d-\d\dT.*\d{4}-\d\d-\d\dT/,
    holds: during('clock wrong'),
    nearly: lately('clock wrong'),
    appearsMs: lookMs,
    disappearsMs: lookMs,
  },
  {
    name: 'the state folder is new, and there is something to attest',
    codes: /^new_state$/,
    holds: () => [],
    nearly: lately('state new'),
    appearsMs: lookMs,
    // However rarely the feed is polled.
    disappearsMs: () => SLACK_MS,
  },
  {
    name: 'the feeds file is empty or invalid',
    codes: /^feeds_file$/,
    holds: during('feeds file'),
    nearly: lately('feeds file'),
    appearsMs: () => SLACK_MS,
    disappearsMs: () => SLACK_MS,
    hiddenBy: [],
  },
  {
    name: 'another writer uses the account',
    codes: /^another_writer$/,
    holds: where(isDoubledWhileRunning),
    nearly: where(({ isDoubledElsewhere }) => isDoubledElsewhere),
    appearsMs: lookMs,
    // The agent reports it for one day.
    disappearsMs: (feed) => lookMs(feed) + DAY_MS,
  },
  {
    name: 'the balance is low',
    codes: /^(low_balance|balance)$/,
    holds: during('low balance'),
    nearly: lately('low balance'),
    appearsMs: () => 4 * HOUR_MS,
    disappearsMs: lookMs,
    hiddenBy: obstacles.filter((each) => each !== 'low balance'),
  },
  {
    name: 'EIA refuses the key',
    codes: /^eia_key$/,
    says: /EIA_API_KEY/,
    holds: during('key refused'),
    nearly: lately('key refused'),
    appearsMs: lookMs,
    disappearsMs: lookMs,
    hiddenBy: obstacles.filter((each) => each !== 'key refused'),
  },
  {
    name: 'the archive cannot be written, and there is something to attest',
    codes: /^archive_file$/,
    says: /move it away/,
    holds: lackedDuring('archive blocked'),
    nearly: lately('archive blocked'),
    appearsMs: () => 2 * HOUR_MS,
    disappearsMs: lookMs,
    hiddenBy: obstacles.filter((each) => each !== 'archive blocked'),
  },
  {
    name: 'the disk is full, and there is something to attest',
    codes: /^(state_file|archive_file|unlockable)$/,
    says: /free some space/,
    holds: lackedDuring('disk full'),
    nearly: lately('disk full'),
    appearsMs: () => 2 * HOUR_MS,
    disappearsMs: lookMs,
    hiddenBy: obstacles.filter((each) => each !== 'disk full'),
  },
  {
    name: 'every feed fails that is looked at often',
    codes: /^nothing_works$/,
    holds: () => [],
    nearly: (known) =>
      known.feeds.some((feed) => feed.config.frequency.endsWith('hourly') && !isUnusable(feed, known))
        ? []
        : [''],
    appearsMs: lookMs,
    disappearsMs: lookMs,
  },
  {
    name: 'nothing is reached',
    codes: /^nothing_works$/,
    // Feeds that failed before show nothing.
    holds: (known) =>
      known.feeds.some((feed) => isPolledOften(feed) && !isUnusable(feed, known))
        ? during('network down')(known)
        : [],
    nearly: lately('EIA down', 'EIA throttles', 'key refused', 'no blocks'),
    // Twice the interval between two polls of a daily feed.
    appearsMs: () => 4 * HOUR_MS,
    isWatched: true,
    disappearsMs: lookMs,
    hiddenBy: [],
  },
  {
    name: 'no node answers',
    codes: /^(all_nodes_failed|deadline)$/,
    holds: during('network down'),
    nearly: lately('first node', 'second node'),
    appearsMs: lookMs,
    disappearsMs: lookMs,
    hiddenBy: obstacles.filter((each) => each !== 'network down'),
  },
  {
    name: 'EIA does not answer',
    codes: /^(eia_\w+|throttled)$/,
    holds: during('EIA down'),
    nearly: lately('EIA throttles', 'key refused'),
    appearsMs: lookMs,
    disappearsMs: lookMs,
    hiddenBy: obstacles.filter((each) => each !== 'EIA down'),
  },
]

/** Reasons that troubles with nodes, blocks or restarts may cause, but that no alarm requires. */
export const passing =
  /^(all_nodes_failed|node_\w+|lagging_value|transaction_\w+|feed_pending|chain_moved|eia_rows_moved|deadline|nothing_works|gaps|balance|rpc\w*|http\w*)$/
