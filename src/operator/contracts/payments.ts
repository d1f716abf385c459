import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import type { ContractName } from 'wattfeed/internal'

const CSPR = 1_000_000_000n

/**
 * Payments for installing, in motes. Each exceeds the gas that is consumed, because running out of gas loses the whole
 * payment. A quarter of the unused part is lost too.
 */
export const wasmPaymentMotes: Readonly<Record<ContractName, bigint>> = {
  FeedRegistry: 200n * CSPR,
  AttestationRegistry: 200n * CSPR,
  EligibilityGate: 240n * CSPR,
}

/**
 * Payments for upgrading, in motes. Upgrading consumes 191.0, 199.9 and 239.6 CSPR, and a little more with each
 * version.
 */
export const upgradePaymentMotes: Readonly<Record<ContractName, bigint>> = {
  FeedRegistry: 210n * CSPR,
  AttestationRegistry: 220n * CSPR,
  EligibilityGate: 260n * CSPR,
}

/** Payment for setting a contract's address in another one, in motes. */
export const wirePaymentMotes = MIN_PAYMENT_MOTES
