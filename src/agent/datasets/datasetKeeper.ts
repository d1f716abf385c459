import { join } from 'node:path'
import { DatasetError, type LeafKey } from '@wattfeed/dataset'
import type { Side } from '@wattfeed/dataset/compare'
import pLimit from 'p-limit'
import { type DatasetConfig, datasetOf } from '../../feeds/file/feedConfig.ts'
import type { Report } from '../events.ts'
import type { ChainValue } from '../plan/decide.ts'
import { type Adoption, adoptLeaves } from './adoptLeaves.ts'
import { askAgain } from './askAgain.ts'
import { compareWithOther } from './compareWithOther.ts'
import { OpenSides } from './openSides.ts'
import { type PeriodCounts, readCounts } from './periodCounts.ts'
import type { takeSnapshot } from './takeSnapshot.ts'
import type { TakenSnapshot } from './writeSnapshot.ts'

/** What a keeper says of a snapshot that it has written, or that was there already. */
export type KeptSnapshot = Pick<TakenSnapshot, 'manifest' | 'counts'>

/**
 * Keeps the snapshots of datasets. What reads whole datasets runs one at a time, because they share EIA's rate limit and the disk. Small
 * differences need not wait for that, but each feed's folder is changed by one at a time.
 */
export interface DatasetKeeper {
  /**
   * Reads a dataset from EIA and writes its snapshot, in minutes to hours. Returns its manifest and counts.
   *
   * @param newest - the newest root on chain, whose snapshot stays however many are newer; null if there is none
   * @throws the errors of `takeSnapshot`, and the reason of an abort.
   */
  take(
    feed: DatasetConfig,
    newest: Pick<ChainValue, 'source_hash' | 'amount'> | null,
    signal: AbortSignal,
  ): Promise<KeptSnapshot>
  /** Returns the counts of the snapshot of a root; null if it is not there as a whole. */
  countsOf(feed: DatasetConfig, root: Pick<ChainValue, 'source_hash' | 'amount'>): PeriodCounts | null
  /**
   * Notes that a root is on chain. Call it in the order of the chain, because the last one counts as the newest. A snapshot that this process has written, and whose root was never noted, takes no place of
   * those that are kept. One that was there before counts, because the chain may have got it in between.
   */
  noteAttested(feed: DatasetConfig, root: string): void
  /**
   * Asks EIA again for keys of a snapshot that is here, and writes the snapshot with what EIA says now. Returns `same` if EIA says the same
   * as the snapshot, and `reading` if the dataset is or was read meanwhile, because that snapshot is newer. Keys that EIA was not asked for
   * stay as they are: see `askKeys`.
   *
   * @throws {DatasetError} if the snapshot is not here.
   * @throws the errors of `askKeys` and `adoptLeaves`, and the reason of an abort.
   */
  askAgain(
    feed: DatasetConfig,
    root: string,
    keys: readonly LeafKey[],
    signal: AbortSignal,
  ): Promise<KeptSnapshot | 'same' | 'reading'>
  /**
   * Opens the snapshot of a root as a side of a comparison; null if it is not there as a whole. The last few are kept open. A method of a side
   * throws a `DatasetError` once its snapshot was removed.
   */
  openSide(feed: DatasetConfig, root: string): Promise<Side | null>
  /**
   * Writes the snapshot of another member's side, whose root the chain has, by its difference from a snapshot that is here. EIA is not asked,
   * so this member must not sign it.
   *
   * @throws {DatasetError} unless the leaves lead to the root and size of the side.
   * @throws the errors of `compareWithOther` and `adoptLeaves`, and the reason of an abort.
   */
  fetch(feed: DatasetConfig, base: string, other: Side, signal: AbortSignal): Promise<void>
}

/** `takeSnapshot`, which tests replace. */
export type TakeSnapshot = typeof takeSnapshot

export interface KeeperOptions {
  readonly eia: Parameters<TakeSnapshot>[0]['eia']
  readonly takeSnapshot: TakeSnapshot
  /** `DATASETS_DIR` */
  readonly folder: string
  /** `KEEP_SNAPSHOTS`; null keeps all. */
  readonly keep: number | null
  /** `KEEP_ARCHIVED`; null keeps all. */
  readonly archived: number | null
  /** Called with each page. */
  readonly report: Report
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
}

/**
 * How many snapshots that were written last stay besides those of `KEEP_SNAPSHOTS`. The chain may get any of them at any time, and the
 * keeper hears of it later. A transaction lives for two minutes. A member can sign six in that time, each after 20 seconds without a change.
 */
const MAX_RECENT = 7

/** How long the chain may still get a root that a member has signed: a transaction lives for two minutes. */
const SIGNED_MS = 180_000

/** What a keeper knows of a feed. */
class FeedFolder {
  /** The folder of the feed's snapshots, each in a folder named by its root. */
  readonly out: string
  /** Runs what changes the folder, one after the other. */
  readonly inTurn = pLimit(1)
  /** The roots that this process has written, which are still there, and which it has not seen on chain. */
  readonly #unattested = new Set<string>()
  /** The newest root on chain that was seen. */
  #onChain: string | null = null
  /** How often the dataset began to be read, and ended. */
  readonly #takes = { begun: 0, ended: 0 }
  /** When it was taken last, in epoch milliseconds. */
  #takenAt = Number.NEGATIVE_INFINITY
  /** The root that was written last before that. */
  #before: string | null = null
  /** The roots that were written last since then, the newest at the end. */
  #recent: readonly string[] = []

  constructor(folder: string, feedId: string) {
    this.out = join(folder, feedId.toLowerCase())
  }

  /** Runs what reads the whole dataset. */
  take<T>(read: () => Promise<T>): Promise<T> {
    this.#takes.begun += 1
    return this.inTurn(read).finally(() => {
      this.#takes.ended += 1
    })
  }

  /** The snapshots that do not count. It changes with what is noted. */
  get unattested(): ReadonlySet<string> {
    return this.#unattested
  }

  /** Notes that a root is the newest on chain. */
  attested(root: string): void {
    this.#onChain = root
    this.#unattested.delete(root)
  }

  /** The snapshots that stay when the dataset is taken, whatever is removed. */
  sparesOfTake(now: number): string[] {
    const before = Math.abs(now - this.#takenAt) < SIGNED_MS ? this.#before : null
    return distinct([this.#onChain, before, ...this.#recent])
  }

  taken(written: Written, now: number): void {
    const { root } = written.manifest
    this.#noteUnattested(written)
    this.#takenAt = now
    this.#before = this.#recent.at(-1) ?? null
    this.#recent = [root]
  }

  /** Returns a function that tells whether the dataset is being read, or was since now. */
  watchTakes(): () => boolean {
    const { ended } = this.#takes
    return () => this.#takes.begun > ended
  }

  /** The snapshots that stay when differences are adopted. The chain may still get the one before. */
  sparesOfAdoption(): string[] {
    return distinct([this.#onChain, this.#before, ...this.#recent])
  }

  /** Whether members compare the snapshot of a root: it was written lately, or is the newest on chain. */
  isCompared(root: string): boolean {
    return root === this.#onChain || this.#recent.slice(-2).includes(root)
  }

  adopted(written: Written): void {
    this.#noteUnattested(written)
    this.#noteRecent(written.manifest.root)
  }

  /** Notes that a snapshot is here that members have attested. */
  fetched(root: string): void {
    this.#unattested.delete(root)
    this.#noteRecent(root)
  }

  #noteRecent(root: string): void {
    this.#recent = [...this.#recent.filter((each) => each !== root), root].slice(-MAX_RECENT)
  }

  #noteUnattested({ manifest: { root }, isNew, spares }: Written): void {
    // The others were removed.
    for (const each of this.#unattested)
      if (each !== root && !spares.includes(each)) this.#unattested.delete(each)
    if (isNew) this.#unattested.add(root)
  }
}

/** A snapshot that was written, and which others stayed then, whatever was removed. */
interface Written extends Pick<TakenSnapshot, 'manifest' | 'isNew'> {
  readonly spares: readonly string[]
}

const distinct = (roots: readonly (string | null)[]): string[] => [
  ...new Set(roots.filter((root) => root !== null)),
]

export function createDatasetKeeper(options: KeeperOptions): DatasetKeeper {
  const { eia, takeSnapshot, folder, keep, archived, report, now, random } = options
  const oneAtATime = pLimit(1)
  const sides = new OpenSides()
  const folders = new Map<string, FeedFolder>()

  function folderOf({ feed_id: feedId }: DatasetConfig): FeedFolder {
    const known = folders.get(feedId) ?? new FeedFolder(folder, feedId)
    folders.set(feedId, known)
    return known
  }

  function optionsFor(feed: DatasetConfig, signal: AbortSignal) {
    const { facets, ...dataset } = datasetOf(feed)
    const { out, unattested } = folderOf(feed)
    const onProgress: Parameters<TakeSnapshot>[0]['onProgress'] = (step) =>
      void report({ event: 'dataset_step', feedId: feed.feed_id, step })
    return { eia, dataset, facets, out, signal, onProgress, keep, archived, unattested }
  }

  /** Writes the snapshot of an adoption. */
  const adopt = (feed: DatasetConfig, adoption: Adoption, signal: AbortSignal): Promise<KeptSnapshot> => {
    const own = folderOf(feed)
    return own.inTurn(async () => {
      signal.throwIfAborted()
      const startedAt = now()
      const base = adoption.base.snapshot.manifest.root
      const spares = own.sparesOfAdoption()
      const { manifest, counts, isNew } = await adoptLeaves(adoption, { ...optionsFor(feed, signal), spares })
      own.adopted({ manifest, isNew, spares })
      const changes = adoption.changes.length
      const durationMs = now() - startedAt
      void report({
        event: 'snapshot_adopted',
        feedId: feed.feed_id,
        manifest,
        base,
        changes,
        isNew,
        durationMs,
      })
      return { manifest, counts }
    })
  }

  return {
    take: (feed, newest, signal) =>
      oneAtATime(() => {
        const own = folderOf(feed)
        return own.take(async () => {
          signal.throwIfAborted()
          const startedAt = now()
          if (newest !== null) own.attested(newest.source_hash)
          const spares = own.sparesOfTake(startedAt)
          const { manifest, counts, isNew } = await takeSnapshot({
            ...optionsFor(feed, signal),
            ...{ now, random, spares },
          })
          own.taken({ manifest, isNew, spares }, now())
          const durationMs = now() - startedAt
          void report({ event: 'snapshot', feedId: feed.feed_id, manifest, isNew, durationMs })
          return { manifest, counts }
        })
      }),
    countsOf: (feed, { source_hash: root, amount }) => readCounts(join(folderOf(feed).out, root), amount),
    noteAttested: (feed, root) => folderOf(feed).attested(root),
    async askAgain(feed, root, keys, signal) {
      const isTaken = folderOf(feed).watchTakes()
      if (isTaken()) return 'reading'
      const adoption = await askAgain(root, keys, optionsFor(feed, signal))
      if (adoption === null) return 'same'
      return isTaken() ? 'reading' : adopt(feed, adoption, signal)
    },
    openSide(feed, root) {
      const own = folderOf(feed)
      return sides.open(own.out, root, own.isCompared(root))
    },
    async fetch(feed, base, other, signal) {
      const ofFeed = folderOf(feed)
      const { out } = ofFeed
      const own = await sides.open(out, base, true)
      if (own === null)
        throw new DatasetError({ what: `the snapshot ${base}`, rule: 'is not in the folder of its feed' })
      const there = await sides.open(out, other.root, true)
      const isThere = there !== null && there.size === other.size
      if (!isThere) await adopt(feed, await compareWithOther(own, other, optionsFor(feed, signal)), signal)
      ofFeed.fetched(other.root)
    },
  }
}
