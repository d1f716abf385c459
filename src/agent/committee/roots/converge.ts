import type { Side } from '@wattfeed/dataset/compare'
import { compareSides, type LeafDifference } from '@wattfeed/dataset/compare'
import type { LeafKey } from '@wattfeed/dataset'
import type { DatasetConfig } from '../../../feeds/file/feedConfig.ts'
import { asError } from '../../../runtime/asError.ts'
import type { DatasetKeeper } from '../../datasets/datasetKeeper.ts'
import type { AccountKeys, Peers } from '../memberState.ts'
import { type HeldSnapshot, isSameRoot, type MemberRoots, type OtherRoot } from './memberRoots.ts'

/** Members that one round compares with. */
const OTHERS_AT_ONCE = 2

/** Leaves of two snapshots that may differ. If more do, the older snapshot must be taken again. */
const MAX_DIFFERING = 10_000

/** Rounds for each snapshot that is taken. A hostile member must not make this one ask EIA again and again. */
const MAX_ROUNDS = 3

/** After this time, there may be rounds without a new snapshot, because another member may have found a new value. */
const RENEWED_MS = 600_000

export interface ConvergeParts {
  readonly roots: MemberRoots
  readonly keeper: Pick<DatasetKeeper, 'askAgain' | 'openSide'>
  readonly peers: Pick<Peers, 'sideOf'>
  /** Account hash of this member's key. */
  readonly keyHash: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
  readonly stop: AbortSignal
  /** Called when EIA has another state than the snapshot that this member held. */
  readonly onChanged: (feed: DatasetConfig) => void
  readonly onRound: (feed: DatasetConfig, round: Round) => void
}

/** What a round has found. */
export interface Round {
  /** Which round it was since the snapshot was taken, from 1 on. */
  readonly number: number
  readonly compared: readonly ComparedRoot[]
  /** Number of keys that EIA was asked for. */
  readonly asked: number
  /** Whether EIA has another state than the snapshot that this member held. */
  readonly isChanged: boolean
  /** Why EIA was not asked, or gave no answer; null if nothing failed. */
  readonly error: Error | null
}

/** Another member's root, and how it differs. */
export interface ComparedRoot extends OtherRoot {
  /** Null if they could not be compared. */
  readonly first: LeafDifference | null
  readonly error: Error | null
}

interface Budget {
  /** Of the snapshot that was taken. */
  readonly taken: number
  readonly since: number
  readonly rounds: number
}

/**
 * Makes the snapshots of members equal while a release of EIA arrives. A round compares the snapshot that this member holds with those of
 * at most two others, asks EIA again for the keys that differ, and adopts what EIA says now. It never adopts what another member says.
 */
export class Converger {
  readonly #parts: ConvergeParts
  readonly #budgets = new Map<string, Budget>()
  readonly #lastRounds = new Map<string, Round>()

  constructor(parts: ConvergeParts) {
    this.#parts = parts
  }

  /** Does a round for each dataset of which other members hold another root, unless enough hold this member's. Never throws. */
  async converge(keys: AccountKeys): Promise<void> {
    for (const feed of this.#parts.roots.list()) await this.#convergeFeed(feed, keys)
  }

  /** Whether a new snapshot must be taken, because rounds do not help. */
  isExhausted(feed: DatasetConfig): boolean {
    const held = this.#parts.roots.held(feed)
    return held !== null && this.#budgetOf(feed, held).rounds >= MAX_ROUNDS
  }

  /** Returns the last round of a dataset; null if there was none. */
  lastRound({ feed_id }: DatasetConfig): Round | null {
    return this.#lastRounds.get(feed_id) ?? null
  }

  #budgetOf({ feed_id }: DatasetConfig, { taken }: HeldSnapshot): Budget {
    const known = this.#budgets.get(feed_id)
    const now = this.#parts.now()
    const isValid = known?.taken === taken && now < known.since + RENEWED_MS
    return isValid ? known : { taken, since: now, rounds: 0 }
  }

  async #convergeFeed(feed: DatasetConfig, keys: AccountKeys): Promise<void> {
    const { roots, onRound } = this.#parts
    const held = roots.held(feed)
    if (held === null) return
    const others = this.#chooseOthers(feed, keys)
    const budget = this.#budgetOf(feed, held)
    if (others.length === 0 || budget.rounds >= MAX_ROUNDS) return
    const number = budget.rounds + 1
    this.#budgets.set(feed.feed_id, { ...budget, rounds: number })
    const round = { ...(await this.#round(feed, held, others)), number }
    this.#lastRounds.set(feed.feed_id, round)
    onRound(feed, round)
  }

  /**
   * Chooses whose snapshots are compared: one that most hold, and any other. If enough hold this member's root, only those count who
   * began to read later: one of them may have found a new value.
   */
  #chooseOthers(feed: DatasetConfig, keys: AccountKeys): readonly OtherRoot[] {
    const { roots, keyHash, random } = this.#parts
    const own = roots.own(feed)
    if (own === null) return []
    const isAgreed = roots.isAgreed(feed, keys, keyHash)
    const all = roots.listOthers(feed)
    const others = all.filter(
      (each) => !isSameRoot(each, own) && keys.weights.has(each.member) && (!isAgreed || each.began > own.began),
    )
    const holders = (root: OtherRoot) => all.filter((each) => isSameRoot(each, root)).length
    const shuffled = others
      .map((each) => ({ each, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ each }) => each)
    const [most] = shuffled.toSorted((a, b) => holders(b) - holders(a))
    if (most === undefined) return []
    return [most, ...shuffled.filter((each) => !isSameRoot(each, most))].slice(0, OTHERS_AT_ONCE)
  }

  async #round(
    feed: DatasetConfig,
    held: HeldSnapshot,
    others: readonly OtherRoot[],
  ): Promise<Omit<Round, 'number'>> {
    const { roots, keeper, stop, onChanged } = this.#parts
    const { root } = held.manifest
    const compared: ComparedRoot[] = []
    const asked = new Map<string, LeafKey>()
    try {
      const own = await keeper.openSide(feed, root)
      for (const other of own === null ? [] : others) {
        const { differences, error } = await this.#compare(feed, own, other)
        compared.push({ ...other, first: differences[0] ?? null, error })
        for (const { key } of differences) asked.set(JSON.stringify(key), key)
      }
      const keys = [...asked.values()].slice(0, MAX_DIFFERING)
      const snapshot = keys.length === 0 ? null : await keeper.askAgain(feed, root, keys, stop)
      if (snapshot !== null) {
        roots.replace(feed, held, snapshot)
        onChanged(feed)
      }
      return { compared, asked: keys.length, isChanged: snapshot !== null, error: null }
    } catch (error) {
      return { compared, asked: asked.size, isChanged: false, error: asError(error) }
    }
  }

  /** Compares with what another member says, which may be anything. */
  async #compare(
    { feed_id }: DatasetConfig,
    own: Side | null,
    { member, root, size }: OtherRoot,
  ): Promise<{ readonly differences: readonly LeafDifference[]; readonly error: Error | null }> {
    try {
      if (own === null) return { differences: [], error: null }
      const side = this.#parts.peers.sideOf(member, feed_id, { root, size })
      const limits = { maxListed: MAX_DIFFERING, maxDiffering: MAX_DIFFERING }
      return { differences: (await compareSides(own, side, limits)).first, error: null }
    } catch (error) {
      return { differences: [], error: asError(error) }
    }
  }
}
