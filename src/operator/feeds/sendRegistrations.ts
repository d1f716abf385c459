import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { signTransaction } from '../../casper/transaction/signTransaction.ts'
import { WattfeedError } from '../../errors.ts'
import type { PendingRegistration } from './pendingRegistration.ts'
import type { RegistrationPlan } from './planRegistration.ts'
import { duePlan, type Planned, planOrRefusal, reportPlan } from './planRegistrations.ts'
import type { Registration } from './registration.ts'
import { type RegistrationReport, reportError, reportNotSent } from './registrationReport.ts'
import { settleRegistration } from './settleRegistration.ts'

/**
 * Registers feeds one after another. After one that does not succeed no further one is sent: what went wrong once
 * would cost its payment again.
 */
export async function sendRegistrations(
  registration: Registration,
  planned: readonly Planned[],
): Promise<RegistrationReport[]> {
  const reports: RegistrationReport[] = []
  let hasFailed = false
  for (const each of planned) {
    if (duePlan(each) === null) reports.push(reportPlan(each))
    else if (hasFailed) reports.push(reportNotSent(each.config.feed_id, null))
    else {
      const report = await registerAnew(registration, each.config)
      reports.push(report)
      hasFailed = report.error !== null && report.state !== 'refused'
    }
  }
  return reports
}

/** Others may have written since all was planned, so the chain is read again just before. */
async function registerAnew(registration: Registration, config: FeedConfig): Promise<RegistrationReport> {
  try {
    const planned = await planOrRefusal(registration, config)
    const plan = duePlan(planned)
    return plan === null ? reportPlan(planned) : await send(registration, config.feed_id, plan)
  } catch (error) {
    if (error instanceof WattfeedError) return reportNotSent(config.feed_id, error)
    throw error
  }
}

async function send(
  registration: Registration,
  feedId: string,
  plan: RegistrationPlan,
): Promise<RegistrationReport> {
  const pending = await sign(registration, feedId, plan)
  await registration.pending.write(pending)
  registration.onProgress({ feedId, event: 'signed', transactionHash: pending.transaction_hash })
  try {
    return await settleRegistration(registration, pending, { isSentBefore: false })
  } catch (error) {
    if (error instanceof WattfeedError) return reportError(pending, error)
    throw error
  }
}

async function sign(
  { signer, chainName, feedRegistryPackageHash, follow: { now = Date.now } }: Registration,
  feedId: string,
  { args, paymentMotes }: RegistrationPlan,
): Promise<PendingRegistration> {
  const { hash, expiresAt, transaction } = await signTransaction(signer, {
    chainName,
    target: { packageHash: feedRegistryPackageHash, entryPoint: 'register_feed' },
    args,
    paymentMotes,
    timestamp: now(),
  })
  return {
    feed_id: feedId,
    feed_registry_package_hash: feedRegistryPackageHash,
    transaction_hash: hash,
    expires_at: expiresAt,
    payment_motes: paymentMotes.toString(),
    transaction,
  }
}
