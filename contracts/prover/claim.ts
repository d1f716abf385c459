import { createPendingFile } from '../../src/operator/eligibility/pendingFile.ts'
import { type ClaimOutcome, submitClaim } from '../../src/operator/eligibility/submitClaim.ts'
import { readProofFile } from './proofFile.ts'
import { formatExecuted, openSubmission, type SubmissionRequest } from './submission.ts'

/** Submits a proof file, and tells what became of it. */
export async function claim(path: string, request: SubmissionRequest): Promise<object> {
  const submission = await openSubmission(request)
  const proof = await readProofFile(path)
  const pending = createPendingFile(`${path}.pending`)
  const outcome = await submitClaim(proof, { ...submission, pending })
  const gate = `hash-${proof.gatePackageHash}`
  return { state: outcome.state, account: submission.signer.accountHash, gate, ...formatOutcome(outcome) }
}

function formatOutcome(outcome: ClaimOutcome): object {
  switch (outcome.state) {
    case 'eligible':
      return {}
    case 'planned':
      return { payment_motes: outcome.paymentMotes.toString() }
    case 'pending':
      return { transaction_hash: outcome.transactionHash }
    case 'executed':
      return formatExecuted(outcome.executed)
  }
}
