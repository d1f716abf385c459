import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { WattfeedError } from '@wattfeed/base'
import { createSqliteStore, type SqliteStore } from '@wattfeed/casper/sqlite'
import type { Purpose } from '@wattfeed/casper/transaction'
import { recordRegistered } from '../../../agent/state/newState.ts'
import type { Difference, FeedConfig } from '../../../feeds/file/feedConfig.ts'
import { type ErrorFields, errorFields } from '../../../runtime/errorFields.ts'
import type { StorePlace } from '../../openPayer.ts'
import { notSent, outcomeFields, type TransactionFields } from '../../outcomeFields.ts'
import {
  type Outcome,
  type PaidStep,
  type Payer,
  payAll,
  type StepCount,
  settleEarlier,
} from '../../payAll.ts'
import { type Planning, planOrRefusal } from './planRegistration.ts'

export const RegistrationPurpose = Type.Object({
  kind: Type.Literal('register'),
  feed_id: Type.String(),
  /** Whether nobody had registered the feed before. */
  is_new: Type.Boolean(),
})
type RegistrationPurpose = Static<typeof RegistrationPurpose>

/** Returns a stored purpose as that of a registration. The store has checked its form. */
export const registrationOf = (purpose: Purpose): RegistrationPurpose =>
  Value.Decode(RegistrationPurpose, purpose)

export interface RegistrationReport extends TransactionFields {
  feed_id: string
  /**
   * `done`: nothing to do. `planned`: would be sent. `refused`: not sent, because it would fail. `pending`: sent, not
   * settled. `failed`: sent, but not registered. `not_sent`: `error` says why. `written`: to `file`.
   */
  state: Outcome['state']
  /** The changes that registering makes, made or would make; empty for a new feed. */
  differences: readonly Difference[]
  error: ErrorFields | null
}

export interface Registration extends Planning, Omit<Payer, keyof Planning | 'atOnce'> {
  /** Called before the first feed is sent, and after each outcome. */
  onCount?: (count: StepCount) => void
}

/** Registrations in flight at once; a block of the public networks has room for 40. */
export const MAX_REGISTRATIONS = 16

export const openRegistrations = (place: StorePlace): SqliteStore =>
  createSqliteStore({
    ...place,
    purpose: RegistrationPurpose,
    recordSettled({ purpose }, { outcome }) {
      const { feed_id, is_new } = registrationOf(purpose)
      // A feed that is only changed may have values that a lost state has sent.
      if (is_new && outcome === 'executed') recordRegistered(place.state, place.destination, feed_id)
    },
  })

/**
 * Registers feeds that are new or whose metadata changed, several at once, once the balance covers all of them.
 * Transactions of an interrupted run are followed first, and not sent again. A feed's failure is in its report, and the
 * others continue.
 *
 * @throws before anything is sent: a `PreflightError` if the balance is too low, a `StateFileError` if the state cannot
 * be read, and the errors of the client.
 */
export async function registerFeeds(
  registration: Registration,
  configs: readonly FeedConfig[],
): Promise<RegistrationReport[]> {
  const payer = { ...registration, atOnce: MAX_REGISTRATIONS }
  const earlier = await settleEarlier(payer)
  const known = new Set(earlier.map(({ pending }) => registrationOf(pending.purpose).feed_id))
  const steps = configs
    .filter(({ feed_id }) => !known.has(feed_id))
    .map((config) => feedStep(registration, config))
  const outcomes = await payAll(steps, payer, registration.onCount)
  return [
    ...earlier.map((sent) => reportOf(registrationOf(sent.pending.purpose).feed_id, sent, [])),
    ...steps.map(({ feedId, differences }, index) =>
      reportOf(feedId, outcomes[index] ?? { state: 'done' }, differences),
    ),
  ]
}

interface FeedStep extends PaidStep {
  feedId: string
  /** What registering changes, as last read from the chain. */
  differences: readonly Difference[]
}

function feedStep(registration: Registration, config: FeedConfig): FeedStep {
  const { feed_id } = config
  const step: FeedStep = {
    feedId: feed_id,
    differences: [],
    isSame: (pending) => pending.feed_id === feed_id,
    async request() {
      const { plan, differences } = await planOrRefusal(registration, config)
      step.differences = differences ?? []
      if (plan === null || plan instanceof WattfeedError) return plan
      const { isNew: is_new, ...call } = plan
      return { ...call, purpose: { kind: 'register', feed_id, is_new } satisfies RegistrationPurpose }
    },
  }
  return step
}

const reportOf = (
  feed_id: string,
  outcome: Outcome,
  differences: readonly Difference[],
): RegistrationReport => ({
  ...notSent,
  differences,
  error: null,
  feed_id,
  state: outcome.state,
  ...('pending' in outcome ? { payment_motes: outcome.pending.payment_motes } : {}),
  ...outcomeFields(outcome),
  ...('error' in outcome && outcome.error !== null ? { error: errorFields(outcome.error) } : {}),
})
