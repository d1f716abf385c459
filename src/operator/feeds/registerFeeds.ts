import { Type } from '@sinclair/typebox'
import pLimit from 'p-limit'
import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import type { TransactionTerms } from '../../casper/transaction/createTransaction.ts'
import {
  createDurableSender,
  type DurableSend,
  type DurableSender,
} from '../../casper/transaction/durableSender.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import {
  createPendingStore,
  type PendingStore,
  pendingFolder,
} from '../../casper/transaction/pendingStore.ts'
import { WattfeedError } from '../../errors.ts'
import { assertBalance, readAccount } from '../contracts/account.ts'
import { type Progress, reportProgress } from '../progress.ts'
import {
  duePlan,
  type Planned,
  type Planning,
  planOrRefusal,
  planRegistrations,
  type RegistrationPlan,
} from './planRegistration.ts'
import {
  type RegistrationPurpose,
  type RegistrationReport,
  reportNotSent,
  reportPending,
  reportPlan,
  reportSettlement,
} from './registrationReport.ts'

export interface Registration extends Planning, Partial<TransactionTerms> {
  chainName: string
  isDryRun: boolean
  store: PendingStore<RegistrationPurpose>
  follow: Omit<FollowOptions, 'rpc' | 'onEvent'>
  /** Awaited. */
  onProgress: (progress: Progress<RegistrationPurpose>) => unknown
  /** Called with how many feeds there are to send, before the first, and whenever one of them is over. */
  onCount?: (count: RegistrationCount) => void
}

/** How far registering has got. */
export interface RegistrationCount {
  /** Feeds whose outcome is known. */
  done: number
  /** Feeds that are sent. */
  total: number
  /** The most that is paid for all of them, in motes. */
  paymentMotes: bigint
}

/** Registrations in flight at once; a block of the public networks has room for 40. */
export const MAX_REGISTRATIONS = 16

/** The chain and contract that registrations go to. */
interface Destination {
  stateDir: string
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
}

/** Creates a store of pending registrations in the state folder. */
export const createRegistrationStore = ({
  stateDir,
  chainName,
  feedRegistryPackageHash,
}: Destination): PendingStore<RegistrationPurpose> =>
  createPendingStore(
    pendingFolder(stateDir, chainName, feedRegistryPackageHash),
    Type.Object({ kind: Type.Literal('register'), feed_id: Type.String() }),
  )

/**
 * Registers feeds that are new or whose metadata changed, several at once, once the balance covers all of them. What an
 * interrupted run has sent is followed first, and not sent again. A feed's failure is in its report, and the others go
 * on.
 *
 * @throws before anything is sent: a `PreflightError` if the balance is too low, a `PendingFileError` if a pending file
 * cannot be read, and what the client throws.
 *
 * @example
 * ```ts
 * const reports = await registerFeeds(registration, await loadFeeds(null))
 * const failed = reports.filter(({ error }) => error !== null)
 * ```
 */
export async function registerFeeds(
  registration: Registration,
  configs: readonly FeedConfig[],
): Promise<RegistrationReport[]> {
  const sender = createDurableSender<RegistrationPurpose>({
    ...registration,
    ...registration.follow,
    concurrency: MAX_REGISTRATIONS,
    onStep: reportProgress(registration.onProgress),
  })
  const resumed = await resume(registration, sender)
  const known = new Set(resumed.map(({ feed_id }) => feed_id))
  const planned = await planRegistrations(
    registration,
    configs.filter(({ feed_id }) => !known.has(feed_id)),
  )
  const paymentMotes = sumPayments(planned)
  const { rpc, signer } = registration
  if (paymentMotes > 0n) assertBalance(await readAccount(rpc, signer), paymentMotes, registration)
  const reports = registration.isDryRun
    ? planned.map(reportPlan)
    : await sendRegistrations(registration, sender, planned)
  return [...resumed, ...reports]
}

/** Reports what an earlier run left pending, without what expired: those feeds still need to be registered. */
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

/** An unexpected error is thrown once nothing is on its way any more. */
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
    const report = await registerAnew(registration, sender, each)
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
async function registerAnew(
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

function createSend(
  { feedRegistryPackageHash }: Registration,
  feed_id: string,
  plan: RegistrationPlan,
): DurableSend<RegistrationPurpose> {
  const target = { packageHash: feedRegistryPackageHash, entryPoint: 'register_feed' }
  const purpose = { kind: 'register', feed_id } as const
  return {
    async prepare(reserve) {
      await reserve(plan.paymentMotes)
      return { ...plan, target, purpose }
    },
  }
}
