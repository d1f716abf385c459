import { assertServedValue, verifyMerkleProof } from '@wattfeed/casper'
import { decodeAccountKeys, isAccountHash, type StoredValueJson } from '@wattfeed/casper/types'
import { feedRegistryField } from '../../registry/fields.ts'
import { type Attester, type AttesterAuthority, authorityOf } from '../attester.ts'
import { assertAbsent } from './assertAbsent.ts'
import { assertLink, type Checker } from './checker.ts'
import { createItemsChecker } from './checkItems.ts'
import type { AttesterProof } from './feedProof.ts'

export interface AttesterCheck {
  proof: AttesterProof
  feedId: string
  /** The proven contract of the FeedRegistry. */
  feeds: StoredValueJson
  stateRootHash: string
  checker: Checker
}

/** Checks who may attest to a feed, and the keys of that account. */
export async function checkAttester(check: AttesterCheck): Promise<Attester> {
  const { proof, feeds, stateRootHash, checker } = check
  const claim = feedRegistryField.claimant(check.feedId)
  const { unclaimed } = proof
  if (unclaimed !== undefined) {
    const registry = 'FeedRegistry'
    const absent = { registry, contract: feeds, field: claim, evidence: unclaimed, stateRootHash } as const
    await checker.check(`${registry} ${claim.what} is absent`, () => assertAbsent(absent), String)
  }
  const items = createItemsChecker([proof.claimant], stateRootHash, checker)
  const field = unclaimed === undefined ? claim : feedRegistryField.owner
  const account = await items.checkField('FeedRegistry', feeds, field)
  const authority = await checker.check('attester', () => authorityIn(check, account), describe(account))
  return { account, authority }
}

/** Verifies the record of an account, and returns its keys; null for a contract, which has no record. */
function authorityIn(
  { proof: { account: served }, stateRootHash }: AttesterCheck,
  account: string,
): AttesterAuthority | null {
  if (!isAccountHash(account)) {
    assertLink(served === undefined, `it has an account, but ${account} is a contract`)
    return null
  }
  assertLink(served?.key === account, `it lacks the account of ${account}`)
  const { merkle_proof: merkleProof, stored_value } = served
  const proven = verifyMerkleProof({ merkleProof, stateRootHash, key: account, what: account })
  assertServedValue(stored_value, proven, account)
  return authorityOf(decodeAccountKeys(proven))
}

const describe =
  (account: string) =>
  (authority: AttesterAuthority | null): string => {
    if (authority === null) return `${account}, a contract`
    const { minSigners, keys } = authority
    const rule =
      minSigners === 0 ? 'no set of keys can sign' : `${minSigners} of ${keys.length} keys must sign`
    return `${account}, ${rule}`
  }
