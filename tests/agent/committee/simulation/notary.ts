import { hash } from 'node:crypto'
import { memberAt } from '@wattfeed/base'
import type { AccountKeys } from '../../../../src/agent/committee/accountKeys.ts'
import type { Notary } from '../../../../src/agent/committee/memberState.ts'
import type { Approval, Proposal } from '../../../../src/agent/committee/proposal.ts'
import { refuse } from '../../../../src/agent/committee/refusal.ts'
import { LIFETIME_MS } from '../../../../src/agent/committee/slot.ts'

/** A signature that costs no time. Only the notary of a key makes it. */
const signatureOf = (keyHash: string, hash: string): string => `${keyHash} signed ${hash}`

export const isSigned = ({ signer, signature }: Approval, hash: string): boolean =>
  signature === signatureOf(signer, hash)

interface Terms {
  readonly timestamp: number
  readonly values: string
}

const proposals = new Map<string, { readonly proposal: Proposal; readonly terms: Terms }>()

/** Returns the timestamp and the values of a model transaction. */
export const termsOf = (hash: string): Terms => proposals.get(hash)?.terms ?? { timestamp: 0, values: '' }

/** Describes a model transaction for people. */
export function describeHash(hash: string): string {
  const { timestamp, values } = termsOf(hash)
  return `${hash.slice(0, 8)} (${timestamp} ${values})`
}

/** Forgets the transactions of the last run. */
export const clearProposals = (): void => proposals.clear()

/** Creates a notary whose transactions have a hash over their terms, and cheap signatures. A key's hash is its name. */
export const createModelNotary = (keyHash: string): Notary => ({
  keyHash,
  async create(attestations, timestamp) {
    const values = attestations.map(({ feed_id, period, amount, source_hash }) => [
      feed_id,
      period,
      `${amount}`,
      source_hash,
    ])
    const terms = { timestamp, values: JSON.stringify(values) }
    const proposal = {
      hash: hash('sha256', `${timestamp} ${terms.values}`),
      timestamp,
      expiresAt: timestamp + LIFETIME_MS,
      chainName: 'model',
      initiator: 'model',
      paymentMotes: 1n,
      attestations,
      payload: null,
    }
    proposals.set(proposal.hash, { proposal, terms })
    return proposal
  },
  sign: async ({ hash }) => ({ signer: keyHash, signature: signatureOf(keyHash, hash) }),
  read: async (transaction, keys) => readModel(transaction, keys),
})

function readModel(transaction: unknown, { weights }: AccountKeys) {
  const { hash, approvals } = memberAt(transaction, 'Version1') as { hash: string; approvals: Approval[] }
  const { proposal } = proposals.get(hash) ?? {}
  const valid = approvals.filter((each) => weights.has(each.signer) && isSigned(each, hash))
  if (proposal === undefined || valid.length === 0)
    return { refusal: refuse('invalid_terms', 'it has no valid approval') }
  return { proposal, approvals: new Map(valid.map((each) => [each.signer, each])) }
}
