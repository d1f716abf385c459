import { encodePeriod } from '@wattfeed/eia'
import type { NewAttestation } from 'wattfeed/internal'
import { type DatasetConfig, datasetOf } from '../../../feeds/file/feedConfig.ts'
import type { TakenSnapshot } from '../../datasets/writeSnapshot.ts'
import type { AnnouncedRoot } from '../../state/announcedRoots.ts'
import type { AccountKeys } from '../accountKeys.ts'
import { LIFETIME_MS, SLOT_MS } from '../slot.ts'
import type { RootEvent } from './rootEvents.ts'

/** What another member has announced. */
export interface OtherRoot extends AnnouncedRoot {
  /** Account hash of the member's key. */
  readonly member: string
}

/** A snapshot that this member holds. */
export interface HeldSnapshot extends Pick<TakenSnapshot, 'manifest' | 'counts'> {
  /** Since when its root has not changed, in milliseconds of a steady clock. */
  readonly since: number
  /** Which snapshot of all that were taken it comes from. */
  readonly taken: number
}

/** How long a member must have held a root before it signs it. While snapshots change, nothing is signed. */
export const LOOK_MS = (2 * SLOT_MS) / 3

/**
 * How long a member must have held a root that was on chain before the newest one. One of EIA's servers may still answer as before a
 * release. But EIA may also have taken something back.
 */
const EARLIER_MS = LIFETIME_MS

/** Roots of a dataset that are remembered as those of the chain. */
const MAX_ATTESTED = 100

export interface MemberRootsOptions {
  /** The datasets of the feeds file. */
  readonly datasets: () => readonly DatasetConfig[]
  /** Account hash of this member's key. */
  readonly keyHash: string
  /** Milliseconds of a steady clock. If the machine's clock is set back, what is held can still be signed. */
  readonly now: () => number
  readonly onEvent: (event: RootEvent) => void
}

/**
 * The roots of datasets that the members hold. None is stored: a member that has restarted reads a dataset again before it signs.
 */
export class MemberRoots {
  readonly #options: MemberRootsOptions
  readonly #held = new Map<string, HeldSnapshot & { readonly selection: string }>()
  readonly #others = new Map<string, Map<string, { readonly root: AnnouncedRoot; readonly at: number }>>()
  /** The roots that were newest on chain while this process has run, by dataset. */
  readonly #attested = new Map<string, readonly string[]>()
  #taken = 0

  constructor(options: MemberRootsOptions) {
    this.#options = options
  }

  /** Lists the datasets of the feeds file. */
  list(): readonly DatasetConfig[] {
    return this.#options.datasets()
  }

  /** Returns the dataset of the feeds file with this id; null for a feed that is none. */
  find(feedId: string): DatasetConfig | null {
    return this.list().find(({ feed_id }) => feed_id === feedId) ?? null
  }

  /** Notes a snapshot that this member has just taken from EIA. */
  hold(feed: DatasetConfig, snapshot: Pick<TakenSnapshot, 'manifest' | 'counts'>): void {
    this.#taken += 1
    this.#set(feed, snapshot, this.#taken)
  }

  /** Notes the snapshot that followed from asking EIA again. Returns false if another one has been taken meanwhile. */
  replace(
    feed: DatasetConfig,
    { taken }: HeldSnapshot,
    snapshot: Pick<TakenSnapshot, 'manifest' | 'counts'>,
  ): boolean {
    if (this.held(feed)?.taken !== taken) return false
    this.#set(feed, snapshot, taken)
    return true
  }

  #set(feed: DatasetConfig, { manifest, counts }: Pick<TakenSnapshot, 'manifest' | 'counts'>, taken: number) {
    const before = this.held(feed)
    const since = before?.manifest.root === manifest.root ? before.since : this.#options.now()
    this.#held.set(feed.feed_id, { manifest, counts, since, taken, selection: selectionOf(feed) })
    const { keyHash: member, onEvent } = this.#options
    onEvent({ event: 'root_announced', feedId: feed.feed_id, member, root: this.own(feed) })
  }

  /** Returns what this member holds of a dataset; null if it has not read what the feeds file selects now. */
  held(feed: DatasetConfig): HeldSnapshot | null {
    const held = this.#held.get(feed.feed_id)
    return held?.selection === selectionOf(feed) ? held : null
  }

  /** Forgets the snapshots that are not what the feeds file selects now, and lists their datasets. */
  dropChanged(): readonly string[] {
    const { keyHash: member, onEvent } = this.#options
    const dropped = [...this.#held.keys()].filter((feedId) => {
      const feed = this.find(feedId)
      return feed === null || this.held(feed) === null
    })
    for (const feedId of dropped) {
      this.#held.delete(feedId)
      // Of a removed dataset, nothing is known any more.
      if (this.find(feedId) !== null) onEvent({ event: 'root_announced', feedId, member, root: null })
    }
    return dropped
  }

  /** Returns for how long this member has held a snapshot without a change of its root, in milliseconds. */
  heldFor({ since }: HeldSnapshot): number {
    return this.#options.now() - since
  }

  /**
   * Returns for how long this member must have held a root before it signs it, in milliseconds.
   *
   * @param newest the newest root on chain; null if there is none
   */
  holdMs({ feed_id }: DatasetConfig, { manifest: { root } }: HeldSnapshot, newest: string | null): number {
    const known = this.#attested.get(feed_id) ?? []
    const attested =
      newest === null || known.includes(newest) ? known : [...known, newest].slice(-MAX_ATTESTED)
    this.#attested.set(feed_id, attested)
    return root !== newest && attested.includes(root) ? EARLIER_MS : LOOK_MS
  }

  /** Returns what this member announces of a dataset; null if it holds nothing. */
  own(feed: DatasetConfig): AnnouncedRoot | null {
    const held = this.held(feed)
    if (held === null) return null
    const { root, size, newestPeriod, retrievedAt: began } = held.manifest
    return { root, size, period: encodePeriod(feed.frequency, newestPeriod), began }
  }

  /** Notes what another member has announced. Ignores a feed that is no dataset of the feeds file. */
  note(feedId: string, member: string, root: AnnouncedRoot): void {
    if (this.find(feedId) === null) return
    const ofFeed = this.#others.get(feedId) ?? new Map()
    this.#others.set(feedId, ofFeed.set(member, { root, at: this.#options.now() }))
    this.#options.onEvent({ event: 'root_announced', feedId, member, root })
  }

  /** Lists what the other members hold of a dataset. Those that have been silent for a lifetime do not count. */
  listOthers({ feed_id }: DatasetConfig): readonly OtherRoot[] {
    const oldest = this.#options.now() - LIFETIME_MS
    return [...(this.#others.get(feed_id) ?? [])].flatMap(([member, { root, at }]) =>
      at < oldest ? [] : [{ ...root, member }],
    )
  }

  /** Lists the members whose keys the account has, and that hold another root than this one; none while this one holds none. */
  listDiffering(feed: DatasetConfig, { weights }: Pick<AccountKeys, 'weights'>): readonly OtherRoot[] {
    const own = this.own(feed)
    if (own === null) return []
    return this.listOthers(feed).filter((each) => weights.has(each.member) && !isSameRoot(each, own))
  }

  /** Whether a value is the root that this member holds now. Values of other feeds are not of interest here. */
  holds({ feed_id, source_hash }: Pick<NewAttestation, 'feed_id' | 'source_hash'>): boolean {
    const dataset = this.find(feed_id)
    return dataset === null || this.held(dataset)?.manifest.root === source_hash
  }

  /** Whether a value of a feed may be proposed and signed: of a dataset, only if enough members hold this member's root. */
  isReady(feedId: string, keys: AccountKeys): boolean {
    const dataset = this.find(feedId)
    return dataset === null || this.isAgreed(dataset, keys)
  }

  /** Whether members of enough weight, with this one, hold the root that this member holds. */
  isAgreed(feed: DatasetConfig, keys: AccountKeys): boolean {
    const own = this.own(feed)
    return own !== null && this.#haveWeight(feed, { ...own, member: this.#options.keyHash }, keys)
  }

  /** Whether members of enough weight, without this one, hold one and the same root. */
  othersAgree(feed: DatasetConfig, keys: AccountKeys): boolean {
    return this.listOthers(feed).some((each) => this.#haveWeight(feed, each, keys))
  }

  /** Whether a member and the others that hold the same root have enough weight. */
  #haveWeight(feed: DatasetConfig, held: OtherRoot, { weights, threshold }: AccountKeys): boolean {
    const same = this.listOthers(feed).filter((other) => isSameRoot(other, held))
    const holders = new Set([held.member, ...same.map(({ member }) => member)])
    return [...holders].reduce((sum, key) => sum + (weights.get(key) ?? 0), 0) >= threshold
  }
}

/** Whether two members would attest the same. When they began to read may differ. */
const isSameRoot = (one: AnnouncedRoot, other: AnnouncedRoot): boolean =>
  one.root === other.root && one.size === other.size && one.period === other.period

const selectionOf = (feed: DatasetConfig): string => JSON.stringify(datasetOf(feed))
