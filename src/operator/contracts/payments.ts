import type { ContractName } from '../../registry/installation.ts'

const CSPR = 1_000_000_000n

/**
 * What installing pays, in motes: more than it consumes, because running out of gas loses everything. A quarter of the
 * difference is lost too.
 */
export const wasmPaymentMotes: Readonly<Record<ContractName, bigint>> = {
  FeedRegistry: 200n * CSPR,
  AttestationRegistry: 200n * CSPR,
  EligibilityGate: 240n * CSPR,
}

/** What upgrading pays, in motes: it consumes 191.0, 199.9 and 239.6 CSPR, and a little more each time. */
export const upgradePaymentMotes: Readonly<Record<ContractName, bigint>> = {
  FeedRegistry: 210n * CSPR,
  AttestationRegistry: 220n * CSPR,
  EligibilityGate: 260n * CSPR,
}

/** What setting a contract's address in another one pays, in motes: the network's minimum. */
export const wirePaymentMotes = (5n * CSPR) / 2n
