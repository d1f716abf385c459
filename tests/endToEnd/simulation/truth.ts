/** What can be wrong beside EIA's rows. */
export const troubles = [
  'agent down',
  'first node',
  'second node',
  'no blocks',
  'EIA down',
  'EIA throttles',
  'key refused',
  'clock wrong',
  'low balance',
  'feeds file',
  'disk full',
  'other writer',
] as const
export type Trouble = (typeof troubles)[number]

/** A time during which something held, in epoch milliseconds. */
export interface Spell {
  sinceMs: number
  /** Null while it still holds. */
  untilMs: number | null
}

/** Which troubles there are, and were last. */
export interface Truth {
  set(trouble: Trouble, isOn: boolean): void
  isOn(trouble: Trouble): boolean
  /** The present or the last spell in which one of these troubles held; null before the first. */
  spell(troubles: readonly Trouble[]): Spell | null
}

/** Spells with a shorter time between them are one: what failed in the first is not tried again before the second. */
const APART_MS = 3_600_000

/** Creates a truth without troubles. */
export function createTruth(now: () => number): Truth {
  const spells = new Map<Trouble, Spell>()
  return {
    set(trouble, isOn) {
      const last = spells.get(trouble)
      if (last === undefined || last.untilMs !== null) {
        if (isOn) spells.set(trouble, begin(last, now()))
      } else if (!isOn) last.untilMs = now()
    },
    isOn: (trouble) => spells.get(trouble)?.untilMs === null,
    spell: (troubles) => troubles.map((each) => spells.get(each)).reduce<Spell | null>(join, null),
  }
}

function begin(last: Spell | undefined, nowMs: number): Spell {
  const isOne = last !== undefined && last.untilMs !== null && nowMs - last.untilMs < APART_MS
  return { sinceMs: isOne ? last.sinceMs : nowMs, untilMs: null }
}

/** The later of two spells, or both as one. */
export function join(a: Spell | null, b: Spell | null | undefined): Spell | null {
  if (a === null || b === null || b === undefined) return a ?? b ?? null
  const [endA, endB] = [a.untilMs ?? Number.POSITIVE_INFINITY, b.untilMs ?? Number.POSITIVE_INFINITY]
  const [first, second] = endA <= endB ? [a, b] : [b, a]
  const isApart = (first.untilMs ?? Number.POSITIVE_INFINITY) + APART_MS < second.sinceMs
  if (isApart) return second
  return { sinceMs: Math.min(a.sinceMs, b.sinceMs), untilMs: second.untilMs }
}
