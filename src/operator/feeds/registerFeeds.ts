import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import {
  createDurableSender,
  type DurableSender,
  type SendTerms,
  type Settlement,
} from '../../casper/transaction/durableSender.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import { createPendingFile, type Pending, type PendingStore } from '../../casper/transaction/pendingStore.ts'
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

export interface Registration extends Planning, SendTerms {
  chainName: string
  isDryRun: boolean
  store: PendingStore<RegistrationPurpose>
  follow: Omit<FollowOptions, 'rpc' | 'onEvent'>
  /** Awaited. */
  onProgress: (progress: Progress<RegistrationPurpose>) => unknown
}

/** The chain and contract that registrations go to. */
interface Destination {
  stateDir: string
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
}

/** Creates a store for a pending registration, in a file of the state folder named after the chain. */
export function createPendingRegistrationFile({
  stateDir,
  chainName,
  feedRegistryPackageHash,
}: Destination): PendingStore<RegistrationPurpose> {
  return createPendingFile<RegistrationPurpose>(join(stateDir, `registration-${chainName}.json`), {
    purpose: Type.Object({
      feed_id: Type.String(),
      feed_registry_package_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
    foreignDestination: ({ feed_registry_package_hash: found }) =>
      found === feedRegistryPackageHash ? null : `FeedRegistry hash-${found}`,
    wayOut: 'choose another AGENT_STATE_DIR',
  })
}

/**
 * Registers feeds that are new or whose metadata changed, one after another, once the balance covers all of them. What
 * an interrupted run has sent is followed first, and not sent again. A feed's failure is in its report.
 *
 * @throws before anything is sent: a `PreflightError` if the balance is too low, a `PendingFileError` or
 * `ForeignPendingError` if the pending file is not this registry's, and what the client throws.
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
    onStep: reportProgress(registration.onProgress),
  })
  const resumed = await resume(registration, sender)
  const others = configs.filter((config) => config.feed_id !== resumed?.feed_id)
  if (resumed?.error) return [resumed, ...others.map(({ feed_id }) => reportNotSent(feed_id, null))]
  const planned = await planRegistrations(registration, others)
  await assertFunds(registration, planned)
  const reports = registration.isDryRun
    ? planned.map(reportPlan)
    : await sendRegistrations(registration, sender, planned)
  return resumed === null ? reports : [resumed, ...reports]
}

interface End {
  settlement: Settlement
  pending: Pending<RegistrationPurpose>
}

/** The report includes the outcome: nothing else needs to be stored. */
const recordOutcome = (settlement: Settlement, pending: End['pending']): End => ({ settlement, pending })

/** Returns null if nothing was pending, or it expired: then the feed still needs to be registered. */
async function resume(
  { isDryRun, store }: Registration,
  sender: DurableSender<RegistrationPurpose>,
): Promise<RegistrationReport | null> {
  if (isDryRun) {
    const [pending] = await store.list()
    return pending === undefined ? null : reportPending(pending)
  }
  const [end] = await sender.resume(recordOutcome)
  return end === undefined || end.settlement.outcome === 'expired'
    ? null
    : reportSettlement(end.pending, end.settlement)
}

async function assertFunds(registration: Registration, planned: readonly Planned[]): Promise<void> {
  const { rpc, signer } = registration
  const payments = planned.map((each) => duePlan(each)?.paymentMotes ?? 0n)
  const neededMotes = payments.reduce((sum, payment) => sum + payment, 0n)
  if (neededMotes > 0n) assertBalance(await readAccount(rpc, signer), neededMotes, registration)
}

/** Stops sending after a failure: the same fault would cost another payment. */
async function sendRegistrations(
  registration: Registration,
  sender: DurableSender<RegistrationPurpose>,
  planned: readonly Planned[],
): Promise<RegistrationReport[]> {
  const reports: RegistrationReport[] = []
  let hasFailed = false
  for (const each of planned) {
    if (duePlan(each) === null) reports.push(reportPlan(each))
    else if (hasFailed) reports.push(reportNotSent(each.config.feed_id, null))
    else {
      const report = await registerAnew(registration, sender, each.config)
      reports.push(report)
      hasFailed = report.error !== null && report.state !== 'refused'
    }
  }
  return reports
}

/** Plans again just before sending, because others may have written since. */
async function registerAnew(
  registration: Registration,
  sender: DurableSender<RegistrationPurpose>,
  config: FeedConfig,
): Promise<RegistrationReport> {
  try {
    const planned = await planOrRefusal(registration, config)
    const plan = duePlan(planned)
    if (plan === null) return reportPlan(planned)
    const { settlement, pending } = await send(registration, sender, config.feed_id, plan)
    return reportSettlement(pending, settlement)
  } catch (error) {
    if (error instanceof WattfeedError) return reportNotSent(config.feed_id, error)
    throw error
  }
}

function send(
  { feedRegistryPackageHash }: Registration,
  sender: DurableSender<RegistrationPurpose>,
  feed_id: string,
  plan: RegistrationPlan,
): Promise<End> {
  const target = { packageHash: feedRegistryPackageHash, entryPoint: 'register_feed' }
  const purpose = { feed_id, feed_registry_package_hash: feedRegistryPackageHash }
  return sender.send({ prepare: () => ({ ...plan, target, purpose }), recordOutcome })
}
