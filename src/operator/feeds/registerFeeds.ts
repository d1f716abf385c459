import { Type } from '@sinclair/typebox'
import pLimit from 'p-limit'
import type { Difference, FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { recordRegistered } from '../../agent/state/startRule.ts'
import {
  createDurableSender,
  type DurableSend,
  type DurableSender,
  type SendRequest,
} from '../../casper/transaction/durableSender.ts'
import { isSettled, type Settlement } from '../../casper/transaction/followTransaction.ts'
import type { Destination } from '../../casper/transaction/pendingRows.ts'
import { createSqliteStore, type SqliteStore } from '../../casper/transaction/sqliteStore.ts'
import type { Pending } from '../../casper/transaction/transactionStore.ts'
import { WattfeedError } from '../../errors.ts'
import { type ErrorFields, errorFields } from '../../runtime/errorFields.ts'
import type { StateFile } from '../../runtime/stateFile.ts'
import {
  assertBalance,
  executionFields,
  notSent,
  type Payer,
  readAccount,
  writeOut,
  writtenFields,
} from '../pay.ts'
import {
  duePlan,
  type Planned,
  type Planning,
  planOrRefusal,
  planRegistrations,
  type RegistrationPlan,
} from './planRegistration.ts'

export interface RegistrationPurpose {
  kind: 'register'
  feed_id: string
  /** Whether nobody had registered the feed before. */
  is_new: boolean
}

export interface RegistrationReport {
  feed_id: string
  /**
   * `done`: nothing to do. `planned`: would be sent. `refused`: not sent, because it would fail. `pending`: sent, not
   * settled. `failed`: sent, but not registered. `not_sent`: `error` says why. `written`: to `file`.
   */
  state: 'done' | 'planned' | 'refused' | 'executed' | 'failed' | 'pending' | 'not_sent' | 'written'
  transaction_hash: string | null
  block_height: number | null
  /** In motes; null if nothing is sent. */
  payment_motes: string | null
  consumed_motes: string | null
  charged_motes: string | null
  /** The changes that registering makes, made or would make; empty for a new feed. */
  differences: readonly Difference[]
  error: ErrorFields | null
  /** Set if the transaction was written to a file. */
  file?: string
  expires_at?: string
  is_signed?: boolean
}

export interface Registration extends Planning, Omit<Payer<RegistrationPurpose>, keyof Planning> {
  /** Called before the first feed is sent, and after each outcome. */
  onCount?: (count: RegistrationCount) => void
}

export interface RegistrationCount {
  /** Number of feeds with a known outcome. */
  done: number
  /** Number of feeds to send. */
  total: number
  /** Upper bound of the payments for all of them, in motes. */
  paymentMotes: bigint
}

/** Registrations in flight at once; a block of the public networks has room for 40. */
export const MAX_REGISTRATIONS = 16

export const createRegistrationStore = (
  state: StateFile,
  destination: Destination,
): SqliteStore<RegistrationPurpose> =>
  createSqliteStore<RegistrationPurpose>({
    state,
    destination,
    purpose: Type.Object({ kind: Type.Literal('register'), feed_id: Type.String(), is_new: Type.Boolean() }),
    recordSettled({ purpose: { feed_id, is_new } }, { outcome }) {
      // A feed that is only changed may have values that a lost state has sent.
      if (is_new && outcome === 'executed') recordRegistered(state, destination, feed_id)
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
  const sender = createDurableSender<RegistrationPurpose>({ ...registration, concurrency: MAX_REGISTRATIONS })
  const resumed = await resume(registration, sender)
  const known = new Set(resumed.map(({ feed_id }) => feed_id))
  const planned = await planRegistrations(
    registration,
    configs.filter(({ feed_id }) => !known.has(feed_id)),
  )
  const paymentMotes = sumPayments(planned)
  const { rpc, signer } = registration
  if (paymentMotes > 0n) assertBalance(await readAccount(rpc, signer), paymentMotes, registration)
  if (registration.isDryRun) return [...resumed, ...planned.map(reportPlan)]
  if (registration.out) return [...resumed, ...(await writeRegistration(registration, planned))]
  return [...resumed, ...(await sendRegistrations(registration, sender, planned))]
}

/** Writes the first registration to a file; the others stay planned. */
async function writeRegistration(
  registration: Registration,
  planned: readonly Planned[],
): Promise<RegistrationReport[]> {
  const first = planned.find((each) => duePlan(each) !== null)
  const plan = first === undefined ? null : duePlan(first)
  if (first === undefined || plan === null) return planned.map(reportPlan)
  const written = await writeOut(requestOf(registration, first.config.feed_id, plan), registration)
  return planned.map((each) =>
    each === first && written !== null
      ? { ...reportPlan(each), state: 'written', ...writtenFields(written) }
      : reportPlan(each),
  )
}

/**
 * Reports the transactions that an earlier run left pending, except expired ones: their feeds still need to be
 * registered.
 */
async function resume(
  { isDryRun, store }: Registration,
  sender: DurableSender<RegistrationPurpose>,
): Promise<RegistrationReport[]> {
  if (isDryRun) return (await store.list()).map(reportPending)
  const deliveries = await sender.resume()
  return deliveries.flatMap(({ settlement, pending }) =>
    settlement.outcome === 'expired' ? [] : [reportSettlement(pending, settlement)],
  )
}

const sumPayments = (planned: readonly Planned[]): bigint =>
  planned.reduce((sum, each) => sum + (duePlan(each)?.paymentMotes ?? 0n), 0n)

/** An unexpected error is thrown once no transaction is in flight. */
async function sendRegistrations(
  registration: Registration,
  sender: DurableSender<RegistrationPurpose>,
  planned: readonly Planned[],
): Promise<RegistrationReport[]> {
  const { onCount = () => {} } = registration
  const total = planned.filter((each) => duePlan(each) !== null).length
  const paymentMotes = sumPayments(planned)
  let done = 0
  onCount({ done, total, paymentMotes })
  const limit = pLimit(MAX_REGISTRATIONS)
  const register = async (each: Planned): Promise<RegistrationReport> => {
    if (duePlan(each) === null) return reportPlan(each)
    const report = await planAndRegister(registration, sender, each)
    onCount({ done: ++done, total, paymentMotes })
    return report
  }
  const results = await Promise.allSettled(planned.map((each) => limit(register, each)))
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/** Plans again just before sending, because others may have written since. */
async function planAndRegister(
  registration: Registration,
  sender: DurableSender<RegistrationPurpose>,
  { config, differences }: Planned,
): Promise<RegistrationReport> {
  try {
    const planned = await planOrRefusal(registration, config)
    const plan = duePlan(planned)
    if (plan === null) return reportPlan(planned)
    const { settlement, pending } = await sender.send(createSend(registration, config.feed_id, plan))
    return { ...reportSettlement(pending, settlement), differences: planned.differences ?? [] }
  } catch (error) {
    if (error instanceof WattfeedError) return reportNotSent(config.feed_id, error, differences)
    throw error
  }
}

const createSend = (
  registration: Registration,
  feedId: string,
  plan: RegistrationPlan,
): DurableSend<RegistrationPurpose> => ({
  async prepare(reserve) {
    await reserve(plan.paymentMotes)
    return requestOf(registration, feedId, plan)
  },
})

function requestOf(
  { feedRegistryPackageHash }: Registration,
  feed_id: string,
  { isNew, ...call }: RegistrationPlan,
): SendRequest<RegistrationPurpose> {
  const target = { packageHash: feedRegistryPackageHash, entryPoint: 'register_feed' }
  return { ...call, target, purpose: { kind: 'register', feed_id, is_new: isNew } }
}

const nothing = { ...notSent, differences: [], error: null }

/** Reports a feed that was not sent, because the chain could not be read or the balance is too low. */
const reportNotSent = (
  feed_id: string,
  error: WattfeedError,
  differences: Planned['differences'],
): RegistrationReport => ({
  ...nothing,
  feed_id,
  state: 'not_sent',
  differences: differences ?? [],
  error: errorFields(error),
})

/**
 * Reports a feed whose transaction is settled, or may still be executed.
 *
 * @throws an unexpected error of one that is not settled.
 */
function reportSettlement(pending: Pending<RegistrationPurpose>, settlement: Settlement): RegistrationReport {
  const { executed, error } = settlement
  if (error !== null && !(error instanceof WattfeedError)) throw error
  return {
    ...reportPending(pending),
    ...(executed === null ? {} : executionFields(executed)),
    state: stateOf(settlement),
    error: error && errorFields(error),
  }
}

function stateOf(settlement: Settlement): RegistrationReport['state'] {
  if (!isSettled(settlement)) return 'pending'
  return settlement.outcome === 'executed' ? 'executed' : 'failed'
}

const reportPending = (pending: Pending<RegistrationPurpose>): RegistrationReport => ({
  ...nothing,
  feed_id: pending.purpose.feed_id,
  state: 'pending',
  transaction_hash: pending.transaction_hash,
  payment_motes: pending.payment_motes,
})

function reportPlan({ config: { feed_id }, plan, differences: found }: Planned): RegistrationReport {
  const differences = found ?? []
  if (plan === null) return { ...nothing, feed_id, state: 'done' }
  if (plan instanceof WattfeedError)
    return { ...nothing, feed_id, state: 'refused', differences, error: errorFields(plan) }
  const payment_motes = plan.paymentMotes.toString()
  return { ...nothing, feed_id, state: 'planned', payment_motes, differences }
}
