import {
  ABSENT,
  type Codes,
  type Content,
  contentOf,
  PERIODS,
  PLACES,
  placeOf,
  seriesNumbers,
  WITHHELD,
} from './datasetLeaves.ts'

/** A release of the dataset, which arrives at EIA's replicas in pieces. */
export interface DatasetRelease {
  /** When the first piece may arrive, in epoch milliseconds. */
  readonly time: number
  /** From when on all replicas have all of it. */
  readonly agreedAt: number
  /** What EIA has from then on. */
  readonly content: Content
}

/** Rows that EIA answers. */
export interface Page {
  /** How many rows EIA has in all. */
  readonly total: number
  /** The places of the rows, newest period first. */
  readonly places: Uint16Array
  /** What each has. */
  readonly codes: Codes
  /** Places that are among those of the page, but have no row. */
  readonly absent: Uint16Array
}

/** One of EIA's servers, with a state of its own. */
export interface ReplicaView {
  /** What it has at each place now. */
  readonly codes: Codes
  /** Answers rows. */
  page(offset: number, length: number): Page
}

/** EIA's servers. */
export interface DatasetModel {
  readonly releases: readonly DatasetRelease[]
  /** When the release begins on which the replicas do not agree before the run ends. */
  readonly nextAt: number
  /** How many replicas there are. */
  readonly replicas: number
  /** Opens a replica by its number, as it is now. Time never goes back. */
  openReplica(number: number, now: number): ReplicaView
}

export interface DatasetModelOptions {
  readonly start: number
  readonly end: number
  readonly random: () => number
  /** How long the pieces of a release may take to all replicas, in milliseconds, in turn. */
  readonly spreadsMs: readonly [number, ...number[]]
  /** @default 3 */
  readonly replicas?: number
}

/** What a piece of a release changes: codes by place. */
interface Piece {
  /** A later piece of the same place wins, whenever a replica gets it. */
  readonly order: number
  readonly changes: ReadonlyMap<number, number>
}

/** Periods at the start. */
const OLD_PERIODS = 100
/** So that EIA has 10,000 rows at the start. */
const HOLES = 2 * OLD_PERIODS
const PIECES = 12
/** From when all replicas agree until the next release. */
const REST_MS = 600_000
/** The first code that stands for a number. */
const FIRST_CODE = 2

/**
 * Creates an EIA with releases, the first after four minutes. Each replica applies the pieces of a release in an order and with lags of
 * its own.
 */
export function createDatasetModel(options: DatasetModelOptions): DatasetModel {
  const { start, end, random, spreadsMs, replicas = 3 } = options
  const initial = createInitial(random)
  const schedules: Arrival[][] = Array.from({ length: replicas }, () => [])
  const releases: DatasetRelease[] = []
  const last = new Replica(initial)
  let time = start + 240_000
  for (let number = 0; time < end; number++) {
    const spreadMs = spreadsMs[number % spreadsMs.length] ?? 0
    let agreedAt = time
    for (const piece of createPieces(last.codes, number, random)) {
      last.apply(piece)
      for (const schedule of schedules) {
        const at = Math.round(time + spreadMs * random())
        schedule.push({ at, piece })
        agreedAt = Math.max(agreedAt, at)
      }
    }
    releases.push({ time, agreedAt, content: contentOf(last.codes.slice(), agreedAt) })
    time = agreedAt + REST_MS
  }
  const states = schedules.map(
    (schedule) =>
      new Replica(
        initial,
        schedule.toSorted((a, b) => a.at - b.at),
      ),
  )
  return {
    releases: releases.filter(({ agreedAt }) => agreedAt < end),
    nextAt: releases.find(({ agreedAt }) => agreedAt >= end)?.time ?? Number.POSITIVE_INFINITY,
    replicas,
    openReplica(number, now) {
      const replica = states[number]
      if (replica === undefined) throw new TypeError(`EIA has no replica ${number}`)
      replica.advance(now)
      return replica
    },
  }
}

interface Arrival {
  readonly at: number
  readonly piece: Piece
}

/** Places in EIA's order: newest period first. */
const rowOrder = Uint16Array.from(
  Array.from({ length: PERIODS }, (_, away) => PERIODS - 1 - away).flatMap((period) =>
    seriesNumbers.map((series) => placeOf(series, period)),
  ),
)

class Replica implements ReplicaView {
  readonly codes: Codes
  readonly #arrivals: Arrival[]
  /** The last piece that has changed each place. */
  readonly #orders = new Int32Array(PLACES).fill(-1)
  /** Index in the order of rows of each row; null if it must be made again. */
  #rows: Uint16Array | null = null
  /** The pages that it has answered in its present state. */
  readonly #pages = new Map<number, Page>()

  constructor(initial: Codes, arrivals: readonly Arrival[] = []) {
    this.codes = initial.slice()
    this.#arrivals = [...arrivals]
  }

  apply({ order, changes }: Piece): void {
    for (const [place, code] of changes) {
      if (order < (this.#orders[place] ?? 0)) continue
      this.#orders[place] = order
      this.codes[place] = code
    }
    this.#rows = null
    this.#pages.clear()
  }

  advance(now: number): void {
    while ((this.#arrivals[0]?.at ?? Number.POSITIVE_INFINITY) <= now) {
      const arrival = this.#arrivals.shift()
      if (arrival !== undefined) this.apply(arrival.piece)
    }
  }

  page(offset: number, length: number): Page {
    const page = this.#pages.get(offset) ?? this.#makePage(offset, length)
    this.#pages.set(offset, page)
    return page
  }

  #makePage(offset: number, length: number): Page {
    const rows = this.#rows ?? this.#listRows()
    this.#rows = rows
    const total = rows.length
    const shown = rows.subarray(offset, offset + length)
    const first = offset === 0 ? 0 : (shown[0] ?? rowOrder.length)
    const past = offset + length >= total ? rowOrder.length : (shown.at(-1) ?? 0) + 1
    const places = shown.map((index) => rowOrder[index] ?? 0)
    return {
      total,
      places,
      codes: places.map((place) => this.codes[place] ?? 0),
      absent: rowOrder.slice(first, past).filter((place) => this.codes[place] === ABSENT),
    }
  }

  #listRows(): Uint16Array {
    const rows: number[] = []
    for (let index = 0; index < rowOrder.length; index++)
      if (this.codes[rowOrder[index] ?? 0] !== ABSENT) rows.push(index)
    return Uint16Array.from(rows)
  }
}

/** Chooses different numbers below a limit. */
function chooseSome(count: number, limit: number, random: () => number): Set<number> {
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(Math.floor(limit * random()))
  return chosen
}

/** The places at which liars lie. EIA always has the same values there. */
export const liedAbout = {
  wrong: placeOf(40, 95),
  missing: placeOf(60, 50),
  withheld: placeOf(20, 10),
} as const
const steady = new Set<number>(Object.values(liedAbout))

function createInitial(random: () => number): Codes {
  const codes = new Uint16Array(PLACES)
  for (const series of seriesNumbers)
    for (let period = 0; period < OLD_PERIODS; period++) codes[placeOf(series, period)] = FIRST_CODE
  let holes = 0
  while (holes < HOLES) {
    const place = placeOf(Math.floor(seriesNumbers.length * random()), Math.floor(OLD_PERIODS * random()))
    if (steady.has(place) || codes[place] === ABSENT) continue
    codes[place] = ABSENT
    holes += 1
  }
  return codes
}

/** Creates the pieces of a release: revisions, new and removed rows, and a new period in every series, in shares. */
function createPieces(before: Codes, number: number, random: () => number): Piece[] {
  const period = OLD_PERIODS + number
  return Array.from({ length: PIECES }, (_, at) => {
    const order = number * PIECES + at
    const code = FIRST_CODE + 1 + order
    const changes = new Map<number, number>()
    const touched = chooseSome(16, seriesNumbers.length * OLD_PERIODS, random)
    for (const index of touched) {
      const place = placeOf(Math.floor(index / OLD_PERIODS), index % OLD_PERIODS)
      if (steady.has(place)) continue
      const fate = random()
      const isRemoved = before[place] !== ABSENT && fate < 0.1
      changes.set(place, isRemoved ? ABSENT : fate < 0.15 ? WITHHELD : code)
    }
    // So that a place that has no row gets one as often as a row is removed.
    const holes = [...before.keys()].filter(
      (place) => before[place] === ABSENT && place % PERIODS < OLD_PERIODS && random() < 0.01,
    )
    for (const place of holes) changes.set(place, code)
    for (const series of seriesNumbers) if (series % PIECES === at) changes.set(placeOf(series, period), code)
    return { order, changes }
  })
}
