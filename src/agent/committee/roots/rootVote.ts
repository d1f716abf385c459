import { defineError } from '@wattfeed/base'
import type { DatasetConfig } from '../../../feeds/file/feedConfig.ts'
import { planDataset } from '../../datasets/planDataset.ts'
import type { PlannedFeed } from '../../plan/plan.ts'
import { ChainMovedError } from '../../send/checkChain.ts'
import type { Attested } from '../../send/createOutbox.ts'
import type { AccountKeys } from '../accountKeys.ts'
import { type AwaitedValues, type Ballots, QuorumDisagreedError } from '../ballots.ts'
import { LIFETIME_MS, SLOT_MS } from '../slot.ts'
import type { Convergence } from './convergence.ts'
import { LOOK_MS, type MemberRoots } from './memberRoots.ts'
import { RootNotHeldError } from './planRoot.ts'
import { formatFirstDifference } from './rootEvents.ts'

/** Members hold different roots of a dataset, and asking EIA again has not made them equal. */
export const RootsDifferError = defineError(
  'RootsDifferError',
  'roots_differ',
  (facts: {
    feedId: string
    /** The root that this member holds. */
    own: string
    /** Names of the members that hold another one. */
    members: readonly string[]
    /** The first value that differs, for people; null if it is not known. */
    first: string | null
    /** How long this member waits before it reads the dataset again, in milliseconds. */
    waitMs: number
  }) =>
    `the members hold different roots of ${facts.feedId}: this one ${facts.own}, and ${facts.members.join(', ')} others${facts.first === null ? '' : `; first ${facts.first}`}; each reads the dataset again`,
  { retryable: true },
)

/** How long a member waits first before it reads a dataset again, and at most. */
const FIRST_WAIT_MS = SLOT_MS
const LONGEST_WAIT_MS = 2 * SLOT_MS

/** How long a root that enough have announced may take until it is attested: a live transaction must expire first. */
const AGREED_MS = LIFETIME_MS + SLOT_MS

export interface RootVoteParts {
  readonly roots: MemberRoots
  readonly ballots: Pick<Ballots, 'waitFor' | 'standingOf'>
  readonly convergence: Pick<Convergence, 'isExhausted' | 'differing'>
  /** The keys of the newest block; null before the first. */
  readonly keys: () => AccountKeys | null
  readonly nameOf: (keyHash: string) => string
  /** How long a dataset waits for the committee. */
  readonly patienceMs: number
  /** Whether the dataset is read again after an error. A command reads it once, so it waits for members that start later. */
  readonly readsAgain: boolean
  /** The machine's clock, in epoch milliseconds. */
  readonly now: () => number
  /** Milliseconds of a steady clock. */
  readonly steadyNow: () => number
  readonly stop: AbortSignal
}

/** The committee has attested another root than this member holds now. It may have signed that one before EIA answered again. */
function anotherRoot({ feedId, latest }: AwaitedValues, { proposed }: QuorumDisagreedError): Error {
  const found = { ...proposed, amount: BigInt(proposed.amount) }
  return new ChainMovedError({ feedId, expected: latest, found })
}

/** Waits until the committee has attested the root that this member holds, which changes while members converge. */
export class RootVote {
  /** How long this member waited before it read a dataset again, and what the members held then. */
  readonly #waits = new Map<string, { readonly held: string; readonly waitMs: number }>()
  readonly #parts: RootVoteParts

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
   * @throws {RootNotHeldError} if the feeds file selects something else meanwhile
   * @throws the errors of `Ballots.wait`
   */
  async wait(feed: DatasetConfig, awaited: AwaitedValues): Promise<Attested> {
    const { ballots, patienceMs, readsAgain, steadyNow, stop } = this.#parts
    const { feed_id: feedId } = feed
    const startedAt = steadyNow()
    for (;;) {
      const plan = this.#plan(feed, awaited)
      const [values] = plan.steps
      // EIA has taken back what was new.
      if (values === undefined) return { executed: null, dropped: [], about: plan.about }
      const attested = await ballots.waitFor({ ...awaited, values }, LOOK_MS).catch((error: unknown) => {
        throw error instanceof QuorumDisagreedError ? anotherRoot(awaited, error) : error
      })
      if (attested !== null) return { ...attested, about: plan.about }
      if (stop.aborted || steadyNow() >= startedAt + patienceMs) throw ballots.standingOf(feedId)
      if (readsAgain) this.#assertHopeful(feed)
    }
  }

  /** Plans what this member holds. Its own signature depends on more, such as whether the dataset has shrunk. */
  #plan(feed: DatasetConfig, { latest, height }: AwaitedValues): PlannedFeed {
    const held = this.#parts.roots.held(feed)
    // The feeds file was changed meanwhile.
    if (held === null)
      throw new RootNotHeldError({ feedId: feed.feed_id, until: 'until this member has read it' })
    const now = this.#parts.now()
    const plan = planDataset({ feed, ...held, latest, before: null, now, height, acceptsShrunk: true })
    if (plan.error !== null) throw plan.error
    return plan
  }

  /** @throws {RootsDifferError} if neither waiting nor asking EIA again for single values can help */
  #assertHopeful(feed: DatasetConfig): void {
    const { roots, convergence, keys, nameOf } = this.#parts
    const [own, held, known] = [roots.own(feed), roots.held(feed), keys()]
    if (own === null || held === null || known === null || !convergence.isExhausted(feed)) return
    // Members that announce a root, and do not sign it, cannot make others wait.
    const isAgreed = roots.isAgreed(feed, known) && roots.heldFor(held) < AGREED_MS
    const others = roots.listDiffering(feed, known)
    // If the others are silent, or still read, reading again would not help.
    if (isAgreed || others.length === 0) return
    const { first = null } = convergence.differing(feed) ?? {}
    throw new RootsDifferError({
      feedId: feed.feed_id,
      own: own.root,
      members: others.map(({ member }) => nameOf(member)),
      first: first && formatFirstDifference(first, nameOf),
      waitMs: this.#nextWait(feed.feed_id, [own.root, ...others.map(({ root }) => root).toSorted()].join()),
    })
  }

  /** Waits longer each time while no member's root changes: reading again then costs EIA's requests, and does not help. */
  #nextWait(feedId: string, held: string): number {
    const before = this.#waits.get(feedId)
    const waitMs = before?.held === held ? Math.min(LONGEST_WAIT_MS, 2 * before.waitMs) : FIRST_WAIT_MS
    this.#waits.set(feedId, { held, waitMs })
    return waitMs
  }
}
