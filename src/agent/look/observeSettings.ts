import type { EiaClient } from '@wattfeed/eia'
import type { Report } from '../events.ts'
import type { LostPeriods } from '../state/lostPeriods.ts'
import type { LastPrints } from './lastPrints.ts'

/** What feeds are observed with. */
export interface ObserveSettings {
  readonly eia: Pick<EiaClient, 'listNewestRows' | 'listRowsSince'>
  readonly chainName: string
  /** The account of the signing key; null if there is none. */
  readonly accountHash: string | null
  /** `CATCH_UP` */
  readonly catchUp: number
  /** `LOOK_BACK` */
  readonly lookBack: number
  /** Whether the deployed AttestationRegistry has `attest_many`. */
  readonly offersMany: boolean
  readonly lastPrints: LastPrints
  /** If it is null, gaps that are too old to be requested are forgotten. */
  readonly lostPeriods: LostPeriods | null
  /**
   * Logs a warning about a feed, once in each run of the agent.
   *
   * @param about what it is about, if its texts vary @default `message`
   */
  readonly warnOnce: (feedId: string, message: string, about?: string) => void
  /** Whether this machine's clock differs from a server's, so that a row may be in place. */
  readonly isClockOff: () => boolean
  /** Called when EIA states the configured unit. */
  readonly onUnit: (feedId: string, unit: string) => void
  /** Called with each feed that is read from the chain. */
  readonly report: Report
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly stop: AbortSignal
}
