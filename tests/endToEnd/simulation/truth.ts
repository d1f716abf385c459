/** Kinds of trouble, apart from EIA's rows. */
export const troubles = [
  'agent down',
  'network down',
  'first node',
  'second node',
  'no blocks',
  'EIA down',
  'EIA throttles',
  'key refused',
  'clock wrong',
  'state new',
  'low balance',
  'feeds file',
  'archive blocked',
  'disk full',
  'other writer',
] as const
export type Trouble = (typeof troubles)[number]

/** A time span during which a condition held, in epoch milliseconds. */
export interface Spell {
  sinceMs: number
  /** Null while the condition still holds. */
  untilMs: number | null
}

/** The present and the past troubles. */
export interface Truth {
  set(trouble: Trouble, isOn: boolean): void
  isOn(trouble: Trouble): boolean
  /** The present or last spell of any of these troubles; null before the first. */
  spell(troubles: readonly Trouble[]): Spell | null
}

const SOON_MS = 600_000

/** The latest retry of a request that failed during a spell. The agent backs off for as long as the spell lasted. */
export const triedAgainAt = ({ sinceMs, untilMs }: Spell): number =>
  untilMs === null ? Number.POSITIVE_INFINITY : untilMs + 1.2 * (untilMs - sinceMs) + SOON_MS

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
  const isOne = last !== undefined && nowMs < triedAgainAt(last)
  return { sinceMs: isOne ? last.sinceMs : nowMs, untilMs: null }
}

/** Returns the later of two spells. Returns both as one if the second starts before retries from the first. */
function join(a: Spell | null, b: Spell | null | undefined): Spell | null {
  if (a === null || b === null || b === undefined) return a ?? b ?? null
  const isFirst = (a.untilMs ?? Number.POSITIVE_INFINITY) <= (b.untilMs ?? Number.POSITIVE_INFINITY)
  const [first, second] = isFirst ? [a, b] : [b, a]
  if (triedAgainAt(first) < second.sinceMs) return second
  return { sinceMs: Math.min(a.sinceMs, b.sinceMs), untilMs: second.untilMs }
}
