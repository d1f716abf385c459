import type { AbortSignalLike } from '@wattfeed/base'
import { type AbsenceEvidenceFinder, absentAsNull, type GlobalState } from '@wattfeed/casper'
import { isAccountHash, isEntityReference } from '@wattfeed/casper/types'
import { feedRegistryField } from '../../../registry/fields.ts'
import { UnsupportedAccountError } from '../../errors.ts'
import { type AccountItem, type AttesterProof, jsonOf } from '../feedProof.ts'
import type { ProvenRegistry } from '../provenRegistry.ts'
import { fieldKeyOf } from './registryItems.ts'

export interface AttesterProofRequest {
  /** Returns only proven values. */
  state: GlobalState
  evidence: AbsenceEvidenceFinder
  feedId: string
  stateRootHash: string
  signal?: AbortSignalLike | undefined
}

/**
 * Proves who may attest to a feed, and the keys of that account. Returns null if nothing shows that the feed has no claimant, or
 * if the account is not on chain.
 *
 * @throws {UnsupportedAccountError} when the chain stores the account as an addressable entity.
 */
export async function createAttesterProof(
  request: AttesterProofRequest,
  feeds: ProvenRegistry,
): Promise<AttesterProof | null> {
  const right = await readRight(request, feeds)
  if (right === null) return null
  const { who, proof } = right
  if (!isAccountHash(who)) return proof
  const account = await readAttesterAccount(request, who)
  if (account === null) return null
  if (isEntityReference(account.stored_value)) throw new UnsupportedAccountError(who)
  return { ...proof, account }
}

/** Reads the claimant of a feed; the owner of the FeedRegistry if the feed was registered before claims. */
async function readRight(
  request: AttesterProofRequest,
  { items, read }: ProvenRegistry,
): Promise<{ who: string; proof: AttesterProof } | null> {
  const claim = feedRegistryField.claimant(request.feedId)
  const claimed = await read(claim)
  if (claimed !== null) return { who: claimed.value, proof: { claimant: claimed.item } }
  const key = fieldKeyOf('FeedRegistry', items.at(-1)?.stored_value, claim)
  const found = await request.evidence.find(request.stateRootHash, key, request.signal)
  const owner = await read(feedRegistryField.owner, { isThere: true })
  // Without evidence, a server could pass off the owner as the attester of a claimed feed.
  if (found?.verdict !== 'absent' || owner === null) return null
  return { who: owner.value, proof: { claimant: owner.item, unclaimed: jsonOf(found.evidence) } }
}

function readAttesterAccount(
  { state, stateRootHash, signal }: AttesterProofRequest,
  key: string,
): Promise<AccountItem | null> {
  return state.query({
    stateRootHash,
    key,
    signal,
    absent: absentAsNull,
    decode: (stored_value, merkleProof) => ({ key, stored_value, merkle_proof: String(merkleProof) }),
  })
}
