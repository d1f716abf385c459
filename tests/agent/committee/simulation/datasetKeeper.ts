import { DatasetError } from '@wattfeed/dataset'
import { compareSides, type Side } from '@wattfeed/dataset/compare'
import { EiaRowsMovedError } from '@wattfeed/eia'
import type { DatasetKeeper, KeptSnapshot } from '../../../../src/agent/datasets/datasetKeeper.ts'
import type { Clock } from './clock.ts'
import type { DatasetModel, Page, ReplicaView } from './datasetEia.ts'
import {
  ABSENT,
  type Codes,
  type Content,
  codeOf,
  contentOf,
  openContent,
  PERIODS,
  PLACES,
  placeOfKey,
} from './datasetLeaves.ts'
import type { Servings } from './servings.ts'

/** Changes what EIA answers at a place, for a member whose EIA lies. */
export type Lie = (place: number, code: number) => number

export interface ModelKeeperOptions {
  readonly model: DatasetModel
  /** The probability that a request is answered by the same replica as the one before, and not by any. */
  readonly stickiness: number
  readonly clock: Clock
  readonly random: () => number
  readonly servings: Servings
  /** The snapshots in the member's folder, oldest first. */
  readonly stored: Map<string, Content>
  /** @default none */
  readonly lie?: Lie
  /** What this member calls its snapshots. */
  readonly name: string
  /** Called with each snapshot that EIA has served. */
  readonly onServed: (content: Content) => void
  /** Whose leaves this member copies, instead of asking EIA again; null if it asks. */
  readonly copied: () => Codes | null
  /** Waits for what was sent over the network, and forever after the process was killed. */
  readonly alive: <T>(value: T) => Promise<T>
}

/** EIA's limit. */
const PAGE_ROWS = 5_000
/** Readings of all pages until the rows must stay in place. */
const MAX_STARTS = 3
/** Snapshots that stay in the folder, besides the newest on chain. */
const KEPT = 4
/** More leaves that differ are not fetched. */
const MAX_DIFFERING = 100_000

/** Creates a keeper that reads EIA's replicas page by page in virtual time, as `takeSnapshot` does, and holds its snapshots in memory. */
export function createModelKeeper(options: ModelKeeperOptions): DatasetKeeper {
  const {
    model,
    stickiness,
    clock,
    random,
    servings,
    stored,
    lie = (_, code) => code,
    onServed,
    copied,
    alive,
  } = options
  const chooseReplica = () => Math.floor(model.replicas * random())
  let queue: Promise<unknown> = Promise.resolve()
  let last = chooseReplica()

  /** Sends a request, which a replica answers in so much time at most. */
  async function request<T>(longestMs: number, answer: (replica: ReplicaView, now: number) => T): Promise<T> {
    await clock.sleep(longestMs * (0.2 + 0.8 * random()))
    if (random() >= stickiness) last = chooseReplica()
    return alive(answer(model.openReplica(last, clock.now()), clock.now()))
  }

  const readPage = (offset: number): Promise<Page> =>
    request(4_000, (replica, now) => {
      const page = replica.page(offset, PAGE_ROWS)
      const codes = page.codes.slice()
      for (let at = 0; at < codes.length; at++) {
        const place = page.places[at] ?? 0
        codes[at] = lie(place, codes[at] ?? ABSENT)
        servings.note(place, codes[at] ?? ABSENT, now)
      }
      for (const place of page.absent) servings.note(place, lie(place, ABSENT), now)
      return { ...page, codes }
    })

  /** Reads all rows; null if they moved meanwhile. */
  async function readOnce(): Promise<Codes | null> {
    const codes = new Uint16Array(PLACES)
    const first = await readPage(0)
    const pages = [{ offset: 0, page: first }]
    addRows(codes, first, 0)
    for (let rows = first.places.length; rows < first.total; ) {
      const page = await readPage(rows - 1)
      const isNext = page.places.length > 1 && isOverlap(codes, page, pages.at(-1)?.page ?? first)
      if (!isNext || !addRows(codes, page, 1)) return null
      pages.push({ offset: rows - 1, page })
      rows += page.places.length - 1
      if (rows > first.total) return null
    }
    for (const { offset, page } of pages) if (!isSamePage(page, await readPage(offset))) return null
    return codes
  }

  function keep(content: Content, spare: string | null): KeptSnapshot {
    const { root } = content.manifest
    stored.delete(root)
    stored.set(root, content)
    for (const [other] of stored) {
      if (stored.size <= KEPT) break
      if (other !== spare && other !== root) stored.delete(other)
    }
    return { manifest: content.manifest, counts: content.counts }
  }

  async function take(spare: string | null, signal: AbortSignal) {
    for (let starts = 1; starts <= MAX_STARTS; starts++) {
      signal.throwIfAborted()
      const began = clock.now()
      const codes = await readOnce()
      if (codes === null) continue
      const content = contentOf(codes, began)
      onServed(content)
      return keep(content, spare)
    }
    throw new EiaRowsMovedError({ route: 'the dataset', status: null })
  }

  function one<T>(work: () => Promise<T>): Promise<T> {
    const done = queue.then(work)
    queue = done.catch(() => {})
    return done
  }

  const found = (root: string): Content => {
    const content = stored.get(root)
    if (content === undefined) throw new DatasetError({ what: root, rule: 'is not here' })
    return content
  }

  return {
    take: (_, newest, signal) => one(() => take(newest?.source_hash ?? null, signal)),
    countsOf: (_, { source_hash: root }) => stored.get(root)?.counts ?? null,
    noteAttested: () => {},
    async askAgain(_, root, keys, signal) {
      const before = found(root)
      const codes = before.codes.slice()
      const boxes = [[...new Set(keys.flatMap((key) => placeOfKey(key) ?? []))]]
      for (let box = boxes.shift(); box !== undefined; box = boxes.shift()) {
        signal.throwIfAborted()
        const places = box
        const isWhole = await request(4_000, (replica, now) => {
          if (reachOf(places) > PAGE_ROWS) return false
          const copy = copied()
          for (const place of places) {
            codes[place] = copy?.[place] ?? lie(place, replica.codes[place] ?? ABSENT)
            if (copy === null) servings.note(place, codes[place] ?? ABSENT, now)
          }
          return true
        })
        const half = Math.ceil(places.length / 2)
        if (!isWhole) boxes.push(places.slice(0, half), places.slice(half))
      }
      const content = contentOf(codes, before.manifest.retrievedAt)
      if (content.manifest.root === root) return 'same'
      onServed(content)
      return keep(content, null)
    },
    openSide: async (_, root) => {
      const content = stored.get(root)
      return content === undefined ? null : openContent(content, options.name)
    },
    async fetch(_, base, other) {
      keep(await fetchContent(found(base), other), null)
    },
  }

  async function fetchContent(base: Content, other: Side): Promise<Content> {
    const limits = { maxListed: MAX_DIFFERING, maxDiffering: MAX_DIFFERING }
    const { first } = await compareSides(openContent(base, options.name), other, limits)
    const codes = base.codes.slice()
    for (const { key, other: leaf } of first) {
      const place = placeOfKey(key)
      if (place === null) throw new DatasetError({ what: other.name, rule: 'has a leaf of another dataset' })
      codes[place] = leaf === null ? ABSENT : codeOf(leaf)
    }
    const content = contentOf(codes, base.manifest.retrievedAt)
    const { root, size } = content.manifest
    if (root !== other.root || size !== other.size)
      throw new DatasetError({ what: other.name, rule: 'does not have the leaves of its root' })
    return content
  }
}

/** How many rows a request may have that asks for places: those of their series in the range of their periods. */
function reachOf(places: readonly number[]): number {
  const periods = places.map((place) => place % PERIODS)
  const series = new Set(places.map((place) => Math.floor(place / PERIODS)))
  return series.size * (1 + Math.max(...periods) - Math.min(...periods))
}

/** Adds the rows of a page, from one on. Returns false if one of them came before. */
function addRows(codes: Codes, { places, codes: added }: Page, from: number): boolean {
  for (let at = from; at < places.length; at++) {
    const place = places[at] ?? 0
    if (codes[place] !== ABSENT) return false
    codes[place] = added[at] ?? ABSENT
  }
  return true
}

/** Whether a page begins with the last row of the one before. */
const isOverlap = (codes: Codes, { places, codes: added }: Page, before: Page): boolean =>
  places[0] === before.places.at(-1) && codes[places[0] ?? 0] === added[0]

function isSamePage(one: Page, other: Page): boolean {
  return (
    one.total === other.total &&
    one.places.length === other.places.length &&
    one.places.every((place, at) => place === other.places[at]) &&
    one.codes.every((code, at) => code === other.codes[at])
  )
}
