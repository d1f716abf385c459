import pLimit from 'p-limit'
import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { WattfeedError } from '../../errors.ts'
import { planRegistration, type RegistrationPlan } from './planRegistration.ts'
import type { Registration } from './registration.ts'
import { type RegistrationReport, reportDone, reportPlanned, reportRefused } from './registrationReport.ts'

/** A feed, and what has to be sent for it: null where nothing has, the error where it would be refused. */
export interface Planned {
  config: FeedConfig
  plan: RegistrationPlan | WattfeedError | null
}

/** Feeds looked at at once. */
const CONCURRENCY = 8

/** Finds out what has to be sent for each of some feeds. Throws where the chain cannot be read. */
export function planRegistrations(
  registration: Registration,
  configs: readonly FeedConfig[],
): Promise<Planned[]> {
  return pLimit(CONCURRENCY).map(configs, (config) => planOrRefusal(registration, config))
}

const REFUSALS = new Set(['registration', 'no_lane', 'argument'])

/** What has to be sent for a feed now. Throws where the chain cannot be read. */
export async function planOrRefusal(registration: Registration, config: FeedConfig): Promise<Planned> {
  try {
    return { config, plan: await planRegistration(registration, config) }
  } catch (error) {
    if (error instanceof WattfeedError && REFUSALS.has(error.code)) return { config, plan: error }
    throw error
  }
}

/** What would be sent for a feed, or null. */
export const duePlan = ({ plan }: Planned): RegistrationPlan | null =>
  plan instanceof WattfeedError ? null : plan

/** What a dry run says of a feed. */
export function reportPlan({ config: { feed_id }, plan }: Planned): RegistrationReport {
  if (plan === null) return reportDone(feed_id)
  if (plan instanceof WattfeedError) return reportRefused(feed_id, plan)
  return reportPlanned(feed_id, plan.paymentMotes)
}
