import type { OwnerOutcome, OwnerSettings } from '../../src/operator/eligibility/submitOwnerCall.ts'
import { submitRevocation } from '../../src/operator/eligibility/submitRevocation.ts'
import { submitRoot } from '../../src/operator/eligibility/submitRoot.ts'
import { submitRootRemoval } from '../../src/operator/eligibility/submitRootRemoval.ts'
import { formatExecuted, openSubmission, type SubmissionRequest } from './submission.ts'

/** How a command of a gate's owner is run. */
export interface OwnerRequest extends SubmissionRequest {
  /** 64 hex digits. */
  gatePackageHash: string
}

/** Makes a root the newest one of a gate. */
export const setRoot = (root: bigint, request: OwnerRequest): Promise<object> =>
  run(request, { root: root.toString() }, (settings) => submitRoot(root, settings))

/** Takes a root back. */
export const removeRoot = (root: bigint, request: OwnerRequest): Promise<object> =>
  run(request, { root: root.toString() }, (settings) => submitRootRemoval(root, settings))

/** Takes the eligibility of an account, 64 hex digits, back. */
export const revoke = (accountHash: string, request: OwnerRequest): Promise<object> =>
  run(request, { account: `account-hash-${accountHash}` }, (settings) =>
    submitRevocation(accountHash, settings),
  )

async function run(
  { gatePackageHash, ...request }: OwnerRequest,
  what: object,
  submit: (settings: OwnerSettings) => Promise<OwnerOutcome>,
): Promise<object> {
  const outcome = await submit({ ...(await openSubmission(request)), gatePackageHash })
  return { state: outcome.state, gate: `hash-${gatePackageHash}`, ...what, ...formatOutcome(outcome) }
}

function formatOutcome(outcome: OwnerOutcome): object {
  switch (outcome.state) {
    case 'done':
      return {}
    case 'planned':
      return { payment_motes: outcome.paymentMotes.toString() }
    case 'executed':
      return formatExecuted(outcome.executed)
  }
}
