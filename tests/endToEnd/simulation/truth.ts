/** What can be wrong beside EIA's rows. */
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

const SOON_MS = 600_000

/** Until when what failed during a spell is tried again: the agent backs off for as long as it failed already. */
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

/** The later of two spells, or both as one where what failed in the first is not tried again before the second. */
function join(a: Spell | null, b: Spell | null | undefined): Spell | null {
  if (a === null || b === null || b === undefined) return a ?? b ?? null
  const isFirst = (a.untilMs ?? Number.POSITIVE_INFINITY) <= (b.untilMs ?? Number.POSITIVE_INFINITY)
  const [first, second] = isFirst ? [a, b] : [b, a]
  if (triedAgainAt(first) < second.sinceMs) return second
  return { sinceMs: Math.min(a.sinceMs, b.sinceMs), untilMs: second.untilMs }
}
