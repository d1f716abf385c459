import { DatasetError, type LeafKey } from '@wattfeed/dataset'
import { DifferenceTooLargeError, type Side } from '@wattfeed/dataset/compare'
import { LRUCache } from 'lru-cache'
import type { DatasetConfig } from '../../../feeds/file/feedConfig.ts'
import { asError } from '../../../runtime/asError.ts'
import { WindowMovedBackError } from '../../datasets/askAgain.ts'
import type { DatasetKeeper } from '../../datasets/datasetKeeper.ts'
import type { AccountKeys } from '../accountKeys.ts'
import type { Peers } from '../memberState.ts'
import { compareInTime } from './compareInTime.ts'
import { Doubts } from './doubts.ts'
import type { HeldSnapshot, MemberRoots, OtherRoot } from './memberRoots.ts'
import type { FirstDifference, RootEvent } from './rootEvents.ts'

/** Roots that one round compares with. */
const ROOTS_AT_ONCE = 2

/** Pairs of a root and what a member shows as another one that are remembered because they differ in too much. */
const MAX_PAIRS = 1_000

/** Rounds for each snapshot that is taken. A hostile member must not make this one ask EIA again and again. */
const MAX_ROUNDS = 3

/** After this time, there may be rounds without a new snapshot, because another member may have found a new value. */
const RENEWED_MS = 600_000

export interface ConvergeParts {
  readonly roots: MemberRoots
  readonly keeper: Pick<DatasetKeeper, 'askAgain' | 'openSide'>
  readonly peers: Pick<Peers, 'sideOf'>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
  readonly stop: AbortSignal
  /** Called when this member holds another snapshot, because EIA has another state than the one before. */
  readonly onChanged: (feed: DatasetConfig) => void
  readonly onEvent: (event: RootEvent) => void
  /**
   * Called when this member must read again: the snapshot of one that began to read later differs in too much, or the own one was removed.
   */
  readonly onBehind: (feed: DatasetConfig) => void
  /** Called when another member could not be compared, or EIA not be asked. */
  readonly onFailed: (feed: DatasetConfig, member: string | null, error: Error) => void
}

interface Rounds {
  /** Of the snapshot that was taken. */
  readonly taken: number
  /** When the first of them was. */
  readonly since: number
  readonly count: number
}

/** Since when members differ, and how; no first difference if no comparison has found one. */
export interface Differing {
  readonly since: number
  readonly first: FirstDifference | null
}

/**
 * Makes the snapshots of members equal while a release of EIA arrives. A round compares the snapshot that this member holds with those of
 * at most two others, asks EIA again for the keys that differ, and adopts what EIA says now. It never adopts what another member says.
 */
export class Convergence {
  readonly #parts: ConvergeParts
  readonly #rounds = new Map<string, Rounds>()
  readonly #differing = new Map<string, Differing>()
  /** What the last comparison has found first. */
  readonly #firsts = new Map<string, FirstDifference>()
  /** Which snapshot of a dataset cannot become equal: it differs in too much from one that was read later, or its window moves back. */
  readonly #behind = new Map<string, number>()
  /** Datasets whose round is in progress. */
  readonly #working = new Set<string>()
  readonly #doubts: Doubts
  readonly #tooDifferent = new LRUCache<string, true>({ max: MAX_PAIRS })

  constructor(parts: ConvergeParts) {
    this.#parts = parts
    this.#doubts = new Doubts(parts.now)
  }

  /**
   * Does a round for each dataset of which others hold another root than this member. A dataset whose last round is still in progress is
   * left out, so a new call need not wait for the one before. Never throws.
   */
  async converge(keys: AccountKeys): Promise<void> {
    for (const feedId of this.#parts.roots.dropChanged()) this.#forget(feedId)
    const free = this.#parts.roots.list().filter(({ feed_id }) => !this.#working.has(feed_id))
    await Promise.all(
      free.map(async (feed) => {
        this.#working.add(feed.feed_id)
        await this.#convergeFeed(feed, keys).finally(() => this.#working.delete(feed.feed_id))
      }),
    )
  }

  async #convergeFeed(feed: DatasetConfig, keys: AccountKeys): Promise<void> {
    const held = this.#parts.roots.held(feed)
    if (held === null) return
    const differing = this.#listToCompare(feed, keys)
    const others = differing.filter((other) => !this.#isTooDifferent(held, other))
    // It may have been too early for that before.
    for (const other of differing) if (!others.includes(other)) this.#noteBehind(feed, held, other)
    const isLeft = this.#roundsOf(feed, held).count < MAX_ROUNDS
    if (others.length > 0 && isLeft) await this.#round(feed, held, this.#choose(others))
    this.#tell(feed, keys)
  }

  /** Whether a new snapshot must be taken, because further rounds do not help. */
  isExhausted(feed: DatasetConfig): boolean {
    const held = this.#parts.roots.held(feed)
    if (held === null) return false
    const isBehind = this.#behind.get(feed.feed_id) === held.taken
    return isBehind || this.#roundsOf(feed, held).count >= MAX_ROUNDS
  }

  /** Returns how members differ; null while enough agree. */
  differing({ feed_id }: DatasetConfig): Differing | null {
    return this.#differing.get(feed_id) ?? null
  }

  #roundsOf({ feed_id }: DatasetConfig, { taken }: HeldSnapshot): Rounds {
    const known = this.#rounds.get(feed_id)
    const now = this.#parts.now()
    return known?.taken === taken && now < known.since + RENEWED_MS ? known : { taken, since: now, count: 0 }
  }

  /**
   * Lists the members that hold another root. If enough hold this member's, only those count that began to read later: one of them may
   * have found a new value. Those that have often said so in vain do not count either.
   */
  #listToCompare(feed: DatasetConfig, keys: AccountKeys): readonly OtherRoot[] {
    const { roots } = this.#parts
    const own = roots.own(feed)
    if (own === null) return []
    const isAgreed = roots.isAgreed(feed, keys)
    return roots
      .listDiffering(feed, keys)
      .filter(
        ({ began, member }) =>
          !isAgreed || (began > own.began && !this.#doubts.isFutile(feed.feed_id, member, own.root)),
      )
  }

  #isTooDifferent({ manifest }: HeldSnapshot, other: OtherRoot): boolean {
    return this.#tooDifferent.has(pairOf(manifest, other))
  }

  /** Chooses a root that most hold, and another one. Lists the members that hold each, in any order. */
  #choose(others: readonly OtherRoot[]): readonly (readonly OtherRoot[])[] {
    const shuffled = others
      .map((each) => ({ each, at: this.#parts.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ each }) => each)
    const holders = [...Map.groupBy(shuffled, ({ root, size }) => `${root} ${size}`).values()]
    const [most] = holders.toSorted((a, b) => b.length - a.length)
    if (most === undefined) return []
    return [most, ...holders.filter((each) => each !== most)].slice(0, ROOTS_AT_ONCE)
  }

  async #round(
    feed: DatasetConfig,
    held: HeldSnapshot,
    chosen: readonly (readonly OtherRoot[])[],
  ): Promise<void> {
    const { keeper, stop, onEvent, onFailed, onBehind } = this.#parts
    const { feed_id: feedId } = feed
    const before = this.#roundsOf(feed, held)
    this.#rounds.set(feedId, { ...before, count: before.count + 1 })
    try {
      const own = await keeper.openSide(feed, held.manifest.root)
      if (own === null) {
        onBehind(feed)
        throw new DatasetError({
          what: `the snapshot ${held.manifest.root}`,
          rule: 'is not in the folder of its feed; the dataset is read again',
        })
      }
      const compared = await Promise.all(chosen.map((holders) => this.#compare(feed, held, own, holders)))
      const answered = compared.filter((each) => each !== null)
      // That of the root that most hold, which one that lies cannot hide.
      const [first] = answered.flatMap(({ differences }) => differences.slice(0, 1))
      if (first !== undefined) this.#firsts.set(feedId, first)
      const others = answered.map(({ member }) => member)
      let [asked, isChanged] = [0, false]
      // Apart, so that one that lies does not use up the requests that another one needs.
      for (const { member, differences } of answered) {
        asked += differences.length
        const keys = differences.map(({ key }) => key)
        if (keys.length === 0) continue
        const found = await this.#askAgain(feed, keys)
        if (found === 'changed') isChanged = true
        if (found === 'in vain') this.#doubts.noteFutile(feedId, member, own.root)
      }
      onEvent({ event: 'converged', feedId, round: before.count + 1, asked, isChanged, others })
    } catch (error) {
      if (!stop.aborted) onFailed(feed, null, asError(error))
    }
  }

  /**
   * Asks EIA for keys again. Returns whether it has another state than the snapshot that this member holds now, or the request was in vain;
   * null if the dataset is read meanwhile.
   */
  async #askAgain(feed: DatasetConfig, keys: readonly LeafKey[]): Promise<'changed' | 'in vain' | null> {
    const { roots, keeper, stop, onChanged, onFailed } = this.#parts
    const held = roots.held(feed)
    if (held === null || stop.aborted) return null
    try {
      const snapshot = await keeper.askAgain(feed, held.manifest.root, keys, stop)
      if (snapshot === 'same') return 'in vain'
      if (snapshot === 'reading' || !roots.replace(feed, held, snapshot)) return null
      onChanged(feed)
      return 'changed'
    } catch (error) {
      if (!stop.aborted) onFailed(feed, null, asError(error))
      // EIA may refuse keys that a member has invented. Those of another member are still needed.
      if (!(error instanceof WindowMovedBackError)) return 'in vain'
      // Further rounds do not help.
      this.#behind.set(feed.feed_id, held.taken)
      return null
    }
  }

  /**
   * Lists how the first holder of a root that answers differs; null if none does. What others say may be anything, and take any time.
   */
  async #compare(
    feed: DatasetConfig,
    held: HeldSnapshot,
    own: Side,
    holders: readonly OtherRoot[],
  ): Promise<{ readonly member: string; readonly differences: readonly FirstDifference[] } | null> {
    const { peers, wait, stop, onFailed } = this.#parts
    const distant: OtherRoot[] = []
    for (const other of holders) {
      const { member, root, size } = other
      try {
        const side = peers.sideOf(member, feed.feed_id, { root, size })
        const found = await compareInTime(own, side, { wait, stop })
        const differences = found.map((each) => ({ ...each, member, ownRoot: own.root, otherRoot: root }))
        return { member, differences }
      } catch (error) {
        // One that lies may show anything as the root of others.
        if (error instanceof DifferenceTooLargeError) distant.push(other)
        else if (!stop.aborted) onFailed(feed, member, asError(error))
      }
    }
    for (const other of distant) this.#noteTooDifferent(feed, held, other)
    return null
  }

  #noteTooDifferent(feed: DatasetConfig, held: HeldSnapshot, other: OtherRoot): void {
    this.#tooDifferent.set(pairOf(held.manifest, other), true)
    this.#noteBehind(feed, held, other)
  }

  /** Lets this member read again if the other one began later. */
  #noteBehind(feed: DatasetConfig, { manifest, taken }: HeldSnapshot, { member, began }: OtherRoot): void {
    if (began <= manifest.retrievedAt) return
    this.#behind.set(feed.feed_id, taken)
    const own = { root: manifest.root, taken, began: manifest.retrievedAt }
    if (this.#doubts.claimsReading(feed.feed_id, member, own)) this.#parts.onBehind(feed)
  }

  /** Tells whether members differ. */
  #tell(feed: DatasetConfig, keys: AccountKeys): void {
    const { roots, now, onEvent } = this.#parts
    const { feed_id: feedId } = feed
    const members = this.#listToCompare(feed, keys).map(({ member }) => member)
    if (roots.isAgreed(feed, keys) || members.length === 0) {
      this.#forget(feedId)
      return
    }
    const { since = now() } = this.#differing.get(feedId) ?? {}
    const differing = { since, first: this.#findFirst(feed) }
    this.#differing.set(feedId, differing)
    const othersAgree = roots.othersAgree(feed, keys)
    onEvent({ event: 'roots_differ', feedId, ...differing, members, othersAgree })
  }

  /** Returns what was found first; null once this member or the other one holds another root. */
  #findFirst(feed: DatasetConfig): FirstDifference | null {
    const { roots } = this.#parts
    const first = this.#firsts.get(feed.feed_id)
    if (first === undefined || first.ownRoot !== roots.own(feed)?.root) return null
    const isHeld = roots
      .listOthers(feed)
      .some(({ member, root }) => member === first.member && root === first.otherRoot)
    return isHeld ? first : null
  }

  #forget(feedId: string): void {
    this.#firsts.delete(feedId)
    if (this.#differing.delete(feedId)) this.#parts.onEvent({ event: 'roots_agree', feedId })
  }
}

const pairOf = ({ root }: HeldSnapshot['manifest'], other: OtherRoot): string =>
  `${root} ${other.root} ${other.member}`
