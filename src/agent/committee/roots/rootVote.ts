import { defineError } from '@wattfeed/base'
import type { DatasetConfig } from '../../../feeds/file/feedConfig.ts'
import { planDataset } from '../../datasets/planDataset.ts'
import type { PlannedFeed } from '../../plan/plan.ts'
import type { Attested } from '../../send/createOutbox.ts'
import type { AwaitedValues, Ballots } from '../ballots.ts'
import type { AccountKeys } from '../memberState.ts'
import type { Converger } from './converge.ts'
import { describeDifference } from './describeDifference.ts'
import { LOOK_MS, type MemberRoots } from './memberRoots.ts'

/** Members hold different roots of a dataset, and asking EIA again has not made them equal. */
export const RootsDifferError = defineError(
  'RootsDifferError',
  'roots_differ',
  (facts: {
    feedId: string
    /** The root that this member holds. */
    own: string
    /** How others differ: `north holds 1f2e… (first difference: …)`. */
    others: readonly string[]
    /** How long they have differed, in milliseconds. */
    durationMs: number
  }) =>
    `the members hold different roots of ${facts.feedId}: this one holds ${facts.own}, ${facts.others.join(', ')}; all read it again`,
  { retryable: true },
)

export interface RootVoteParts {
  readonly roots: MemberRoots
  readonly ballots: Pick<Ballots, 'waitFor' | 'standingOf'>
  readonly converger: Pick<Converger, 'isExhausted' | 'lastRound'>
  readonly keyHash: string
  /** The keys of the newest block; null before the first. */
  readonly keys: () => AccountKeys | null
  readonly nameOf: (keyHash: string) => string
  /** How long a dataset waits for the committee. */
  readonly patienceMs: number
  readonly now: () => number
  readonly stop: AbortSignal
}

/** Waits until the committee has attested the root that this member holds, which changes while members converge. */
export class RootVote {
  readonly #parts: RootVoteParts
  /** Since when the members hold different roots of a dataset. */
  readonly #differSince = new Map<string, number>()

  constructor(parts: RootVoteParts) {
    this.#parts = parts
  }

  /** Returns the dataset with this id; null for a feed that is none. */
  find(feedId: string): DatasetConfig | null {
    return this.#parts.roots.find(feedId)
  }

  /**
   * Waits until the root is attested.
   *
   * @throws {RootsDifferError} if the dataset must be read again
   * @throws the errors of `Ballots.wait`
   */
  async wait(feed: DatasetConfig, awaited: AwaitedValues): Promise<Attested> {
    const { ballots, patienceMs, now, stop } = this.#parts
    const { feed_id: feedId } = feed
    const startedAt = now()
    for (;;) {
      const plan = this.#plan(feed, awaited)
      const [values] = plan.steps
      // EIA has taken back what was new.
      if (values === undefined) return this.#end(feedId, { executed: null, dropped: [], about: plan.about })
      const attested = await ballots.waitFor({ ...awaited, values }, LOOK_MS)
      if (attested !== null) return this.#end(feedId, { ...attested, about: plan.about })
      if (stop.aborted || now() >= startedAt + patienceMs) throw ballots.standingOf(feedId)
      this.#assertHopeful(feed)
    }
  }

  #end(feedId: string, attested: Attested): Attested {
    this.#differSince.delete(feedId)
    return attested
  }

  /** Plans what this member holds. Its own signature depends on more, such as whether the dataset has shrunk. */
  #plan(feed: DatasetConfig, { latest, height }: AwaitedValues): PlannedFeed {
    const held = this.#parts.roots.held(feed)
    if (held === null) throw new TypeError(`this member holds no root of ${feed.feed_id}`)
    const now = this.#parts.now()
    const plan = planDataset({ feed, ...held, latest, before: null, now, height, acceptsShrunk: true })
    if (plan.error !== null) throw plan.error
    return plan
  }

  #assertHopeful(feed: DatasetConfig): void {
    const { roots, converger, keyHash, keys, nameOf, now } = this.#parts
    const { feed_id: feedId } = feed
    const known = keys()
    const own = roots.own(feed)
    if (own === null || known === null || roots.isAgreed(feed, known, keyHash)) return
    const since = this.#differSince.get(feedId) ?? now()
    const others = roots.listOthers(feed).filter(({ root }) => root !== own.root)
    if (others.length > 0) this.#differSince.set(feedId, since)
    if (!converger.isExhausted(feed)) return
    const compared = converger.lastRound(feed)?.compared ?? []
    throw new RootsDifferError({
      feedId,
      own: own.root,
      others: others.map((other) => {
        const found = compared.find(({ member, root }) => member === other.member && root === other.root)
        const first = found?.first ?? null
        const words = first === null ? '' : ` (${describeDifference(first)})`
        return `${nameOf(other.member)} holds ${other.root}${words}`
      }),
      durationMs: now() - since,
    })
  }
}
