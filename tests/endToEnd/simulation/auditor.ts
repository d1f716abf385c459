import { encodePeriod } from '@wattfeed/eia'
import type { HealthReason } from '../../../src/agent/monitor/health.ts'
import { startOfGaps } from '../../../src/feeds/status/gaps.ts'
import type { AgentRuns, ServedHealth } from './agentRuns.ts'
import { type Alarm, alarms, isUnusable, type Known, lookMs, obstacles, passing } from './alarms.ts'
import { type Spell, type Trouble, triedAgainAt } from './truth.ts'
import { awaitedPeriods } from './witness.ts'
import { MINUTE_MS } from './world.ts'

const SLACK_MS = 30 * MINUTE_MS

export interface AuditorOptions {
  agent: Pick<AgentRuns, 'health' | 'metrics' | 'pending'>
  known: () => Known
  /** Called with each violation. */
  object: (violation: string) => void
}

/** Compares `/health` and `/metrics` with the model. They must report what an operator needs to know, and nothing else. */
export interface Auditor {
  /** Compares now. In the last comparison, no transaction may be pending any more. */
  look(options?: { isLast: boolean }): Promise<void>
}

/** Creates an auditor without any observations. */
export function createAuditor({ agent, known, object }: AuditorOptions): Auditor {
  const spells = new Map<string, Spell>()
  const lacked: Lacked = new Map()
  const reported = new Set<string>()

  /** Reports a lasting violation only once. */
  function objectOnce(violations: ReadonlySet<string>): void {
    for (const each of reported) if (!violations.has(each)) reported.delete(each)
    for (const each of violations) if (reported.size < reported.add(each).size) object(each)
  }

  return {
    async look({ isLast } = { isLast: false }) {
      const model = known()
      for (const alarm of alarms) {
        follow(spells, alarm, model)
        followPeriods(lacked, alarm, model)
      }
      const health = await agent.health()
      if (health === null) return
      const metrics = isLast || isSettled(model) ? await agent.metrics() : null
      // Counted right after the metrics are read, because the agent works on meanwhile.
      const wrong = metrics === null ? [] : differences(metrics, { ...health, pending: agent.pending() })
      const { reasons } = health
      objectOnce(
        new Set([
          ...silences(reasons, model, { spells, lacked }),
          ...noises(reasons, model, spells),
          ...misplaced(health, model),
          ...wrong,
        ]),
      )
    },
  }
}

/** Whether no earlier transaction can be pending, because nothing has disturbed the agent for a while. */
function isSettled({ truth, nowMs }: Known): boolean {
  const last = truth.spell([...obstacles, 'clock wrong', 'agent down'])
  return last === null || (last.untilMs !== null && nowMs > last.untilMs + SLACK_MS)
}

/** What the metrics say otherwise than health and the state folder. */
function* differences(
  metrics: ReadonlyMap<string, number>,
  { reasons, feeds, failing, pending, httpStatus }: ServedHealth & { pending: number },
): Generator<string> {
  const reasonOf = (code: string) => reasons.find((reason) => reason.code === code)
  const has = (code: string): number => Number(reasonOf(code) !== undefined)
  const metric = (name: string): number => metrics.get(`wattfeed_agent_${name}`) ?? Number.NaN
  const late = reasonOf('late')?.feed_ids?.length ?? 0
  const expected = { feeds, feed_failing: failing, feed_late: late, feeds_file_faulty: has('feeds_file') }
  const codes = new Set(reasons.map(({ code }) => code))
  if ((metrics.get('wattfeed_agent_health_reason') ?? 0) !== codes.size)
    yield `the metric health_reason has ${metrics.get('wattfeed_agent_health_reason')} reasons, and health ${[...codes]}`
  for (const [name, value] of Object.entries(expected))
    if (metric(name) !== value) yield `the metric ${name} is ${metric(name)}, and health says ${value}`
  if (Number(metric('missing_periods') > 0) !== has('gaps'))
    yield `the metric missing_periods is ${metric('missing_periods')}, and the reasons ${reasons.map(({ code }) => code)}`
  if ((httpStatus === 503) !== (has('nothing_works') === 1))
    yield `the HTTP status is ${httpStatus}, and the reasons ${reasons.map(({ code }) => code)}`
  // A transaction is stored before the metric counts it, and removed after the metric no longer does.
  if (metric('pending_transactions') > pending)
    yield `the metric pending_transactions is ${metric('pending_transactions')}, and ${pending} are stored`
}

/** Differences between the lost periods in health and the rows that are too old to be attested. */
function* misplaced({ lost_periods }: Pick<ServedHealth, 'lost_periods'>, known: Known): Generator<string> {
  if (!isSettled(known)) return
  for (const feed of known.feeds) {
    const { config, rows } = feed
    const seen = known.witness.seen(feed)
    const { first, latest, periods } = seen
    const isAwaited = awaitedPeriods(feed, seen)
    const frequency = config.frequency.endsWith('hourly') ? 'hourly' : config.frequency
    const told = new Set(lost_periods[config.feed_id]?.map((text) => encodePeriod(frequency, text)))
    // A period is lost at the poll after the one that has attested a newer period.
    const isRead =
      latest !== null && known.nowMs > latest.timestamp + lookMs(feed) && !isUnusable(feed, known)
    const start = isRead ? startOfGaps(frequency, latest.period) : null
    for (const { period, integer } of rows) {
      const isTold = told.has(integer)
      if (isTold && periods.has(integer)) yield `/health says that ${period} of ${config.feed_id} is lost`
      const isLost =
        first !== null && start !== null && integer > first && integer < start && !periods.has(integer)
      if (isLost && !isTold && isAwaited(integer))
        yield `/health does not say that ${period} of ${config.feed_id} is lost`
    }
  }
}

const keyOf = ({ name }: Pick<Alarm, 'name'>, subject: string, isNearly = false): string =>
  `${isNearly ? 'nearly ' : ''}${name} ${subject}`

/** Stores since when an alarm holds, and until when it held. */
function follow(spells: Map<string, Spell>, alarm: Alarm, known: Known): void {
  const { nowMs } = known
  const subjects = ['', ...known.feeds.map(({ config }) => config.feed_id)]
  for (const [list, isNearly] of [
    [alarm.holds(known), false],
    [alarm.nearly?.(known) ?? [], true],
  ] as const)
    for (const subject of subjects) {
      const key = keyOf(alarm, subject, isNearly)
      const spell = spells.get(key)
      const isOn = list.includes(subject)
      if (isOn && spell?.untilMs !== null) spells.set(key, { sinceMs: nowMs, untilMs: null })
      else if (!isOn && spell?.untilMs === null) spell.untilMs = nowMs
    }
}

/** Since when a feed has lacked each period, by alarm and feed. */
type Lacked = Map<string, ReadonlyMap<number, number>>

/** Stores since when each period is missing, for those that still are. */
function followPeriods(lacked: Lacked, { name, periods }: Alarm, known: Known): void {
  if (periods === undefined) return
  for (const feed of known.feeds) {
    const key = keyOf({ name }, feed.config.feed_id)
    const before = lacked.get(key)
    const since = periods(feed, known).map((each) => [each, before?.get(each) ?? known.nowMs] as const)
    lacked.set(key, new Map(since))
  }
}

const feedOf = ({ feeds, prices }: Known, subject: string) =>
  [...feeds, prices].find(({ config }) => config.feed_id === subject)

/**
 * Returns when the agent can observe something again. While a trouble hides it, the agent cannot. After the trouble, the
 * agent backs off for as long as the trouble lasted, and for `pauseMs` more.
 */
function visibleAt(
  at: number,
  { truth }: Pick<Known, 'truth'>,
  hiddenBy: readonly Trouble[],
  pauseMs = 0,
): number {
  const hidden = truth.spell(hiddenBy.filter((each) => each !== 'clock wrong'))
  // After a start or a change of its clock, the agent polls everything at once.
  const [startedAt, setAt] = [truth.spell(['agent down'])?.untilMs ?? 0, clockSetAt(truth, hiddenBy)]
  const begun = Math.max(at, startedAt + SLACK_MS, setAt + SLACK_MS)
  if (hidden === null || (hidden.untilMs !== null && hidden.untilMs < startedAt)) return begun
  const triedAt = triedAgainAt({ ...hidden, sinceMs: Math.max(hidden.sinceMs, startedAt) })
  return Math.max(begun, triedAt + SLACK_MS + pauseMs)
}

function clockSetAt(truth: Known['truth'], hiddenBy: readonly Trouble[]): number {
  const wrong = hiddenBy.includes('clock wrong') ? truth.spell(['clock wrong']) : null
  return wrong === null ? 0 : (wrong.untilMs ?? Number.POSITIVE_INFINITY)
}

/** Conditions that an operator needs to know about, but that are not reported. */
function* silences(
  reasons: readonly HealthReason[],
  known: Known,
  { spells, lacked }: { spells: ReadonlyMap<string, Spell>; lacked: Lacked },
): Generator<string> {
  for (const alarm of alarms)
    for (const subject of alarm.holds(known)) {
      const key = keyOf(alarm, subject)
      const spell = spells.get(key)
      if (spell === undefined || reasons.some((reason) => tells(reason, alarm, subject))) continue
      const [period, sinceMs] = oldest(lacked.get(key)) ?? ['', spell.sinceMs]
      if (isDue(alarm, subject, sinceMs, known))
        yield `/health does not say that ${alarm.name}: ${subject} ${period}`.trimEnd()
    }
}

/** The period that has been missing for the longest time, and since when. */
const oldest = (lacked: ReadonlyMap<number, number> | undefined): readonly [number, number] | undefined =>
  [...(lacked ?? [])].toSorted(([, a], [, b]) => a - b)[0]

/** Whether the agent had enough time to report a condition that holds since then. */
function isDue(alarm: Alarm, subject: string, sinceMs: number, known: Known): boolean {
  const startedAt = alarm.isWatched ? (known.truth.spell(['agent down'])?.untilMs ?? 0) : 0
  const feed = feedOf(known, subject)
  const at = Math.max(sinceMs, startedAt) + alarm.appearsMs(feed)
  // A feed that has failed before the trouble is polled again after its longest pause.
  const pauseMs = alarm.instead === undefined ? 0 : lookMs(feed)
  return known.nowMs > visibleAt(at, known, alarm.hiddenBy ?? obstacles, pauseMs)
}

function tells({ code, message, feed_ids }: HealthReason, alarm: Alarm, subject: string): boolean {
  const { codes, says, instead } = alarm
  if (!codes.test(code) && !instead?.test(code)) return false
  if (says?.test(message) === false) return false
  return subject === '' || (feed_ids ?? []).includes(subject)
}

/** Conditions that are reported without a cause. */
function* noises(
  reasons: readonly HealthReason[],
  known: Known,
  spells: ReadonlyMap<string, Spell>,
): Generator<string> {
  for (const { code, message, feed_ids = [''] } of reasons)
    for (const subject of feed_ids)
      if (!isExplained(code, subject, known, spells)) yield `/health says ${code} of ${subject}: ${message}`
}

function isExplained(
  code: string,
  subject: string,
  known: Known,
  spells: ReadonlyMap<string, Spell>,
): boolean {
  const { nowMs, truth } = known
  if (passing.test(code) && nowMs <= visibleAt(0, { truth }, [...obstacles, 'clock wrong'])) return true
  return alarms.some((alarm) => {
    if (!alarm.codes.test(code)) return false
    const found = ['', subject].flatMap((each) => [
      spells.get(keyOf(alarm, each)) ?? [],
      spells.get(keyOf(alarm, each, true)) ?? [],
    ])
    const afterMs = alarm.disappearsMs(feedOf(known, subject))
    return found
      .flat()
      .some(({ untilMs }) => untilMs === null || nowMs <= visibleAt(untilMs + afterMs, known, obstacles))
  })
}
