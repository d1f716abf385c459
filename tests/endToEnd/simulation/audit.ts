import type { AgentRuns } from './agentRuns.ts'
import { type Alarm, alarms, type Known, obstacles, passing } from './alarms.ts'
import { pause } from './network.ts'
import type { Spell, Trouble } from './truth.ts'
import { MINUTE_MS } from './world.ts'

const EVERY_MS = 10 * MINUTE_MS
const SLACK_MS = 30 * MINUTE_MS

/** A reason of `/health`. */
export interface Reason {
  code: string
  message: string
  feed_ids?: readonly string[]
}

export interface AuditOptions {
  agent: Pick<AgentRuns, 'isRunning' | 'health' | 'pending' | 'metric'>
  known: () => Known
  isOver: () => boolean
  /** Called with what must not be. */
  object: (violation: string) => void
}

/** Compares `/health` with the model every ten minutes: it must say what an operator ought to know, and nothing else. */
export async function audit({ agent, known, isOver, object }: AuditOptions): Promise<void> {
  const spells = new Map<string, Spell>()
  const reported = new Set<string>()
  /** Objects once to what lasts. */
  const objectOnce = (now: ReadonlySet<string>): void => {
    for (const each of reported) if (!now.has(each)) reported.delete(each)
    for (const each of now) if (reported.size < reported.add(each).size) object(each)
  }
  while (!isOver()) {
    await pause(EVERY_MS)
    const model = known()
    for (const alarm of alarms) follow(spells, alarm, model)
    const health = agent.isRunning ? await agent.health() : null
    if (health === null) continue
    objectOnce(
      new Set([...silences(health.reasons, model, spells), ...noises(health.reasons, model, spells)]),
    )
  }
}

const keyOf = ({ name }: Alarm, subject: string, isNearly = false): string =>
  `${isNearly ? 'nearly ' : ''}${name} ${subject}`

/** Keeps in mind since when an alarm holds, and until when it held. */
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

const feedOf = ({ feeds }: Known, subject: string) => feeds.find(({ config }) => config.feed_id === subject)

/**
 * When the agent can have seen something again that it could have seen at a time: not while a trouble hides it, nor before
 * it tries again, which takes as long again.
 */
function visibleAt(at: number, { truth }: Pick<Known, 'truth'>, hiddenBy: readonly Trouble[]): number {
  // An agent that starts looks at everything at once.
  const startedAt = truth.spell(['agent down'])?.untilMs ?? 0
  const hidden = truth.spell(hiddenBy)
  const begun = Math.max(at, startedAt + SLACK_MS)
  if (hidden === null) return begun
  if (hidden.untilMs === null) return Number.POSITIVE_INFINITY
  const hiddenMs = hidden.untilMs - Math.max(hidden.sinceMs, Math.min(startedAt, hidden.untilMs))
  return Math.max(begun, hidden.untilMs + 1.2 * hiddenMs + SLACK_MS)
}

/** What an operator ought to know, and is not told. */
function* silences(
  reasons: readonly Reason[],
  known: Known,
  spells: ReadonlyMap<string, Spell>,
): Generator<string> {
  for (const alarm of alarms)
    for (const subject of alarm.holds(known)) {
      const spell = spells.get(keyOf(alarm, subject))
      if (spell === undefined) continue
      const at = spell.sinceMs + alarm.appearsMs(feedOf(known, subject))
      if (known.nowMs <= visibleAt(at, known, alarm.hiddenBy ?? obstacles)) continue
      if (!reasons.some((reason) => tells(reason, alarm, subject)))
        yield `/health does not say that ${alarm.name}: ${subject}`
    }
}

function tells({ code, message, feed_ids }: Reason, { codes, says }: Alarm, subject: string): boolean {
  if (!codes.test(code) || says?.test(message) === false) return false
  return subject === '' || (feed_ids ?? []).includes(subject)
}

/** What the operator is told without a reason. */
function* noises(
  reasons: readonly Reason[],
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
