import { flipLast } from '@wattfeed/testing/flipLast'
import type { FeedProof } from 'wattfeed'
import { withValue } from 'wattfeed/testing/jsonLeaves'
import { BRENT, WTI } from 'wattfeed/testing/world'

/** A copy of WTI's proof that was tampered with. */
export interface TamperedProof {
  /** What was changed. */
  name: string
  proof: unknown
  /** The link that breaks. */
  link: string
}

/** One copy for each part of a served proof. */
export function tamperWith(proof: FeedProof): TamperedProof[] {
  const merkleProof = flipLast(String(proof.items[2]?.merkle_proof))
  return [
    { name: 'its value', proof: withValue(proof, ['reading', 'value'], 60), link: 'reading' },
    { name: 'its amount', proof: withValue(proof, ['reading', 'amount'], '1'), link: 'reading' },
    {
      name: 'a stored value',
      proof: withValue(proof, ['items', 5, 'stored_value'], {}),
      link: `AttestationRegistry latest[${WTI}]`,
    },
    {
      name: 'a Merkle proof',
      proof: withValue(proof, ['items', 2, 'merkle_proof'], merkleProof),
      link: `FeedRegistry feeds[${WTI}]`,
    },
    {
      name: 'the block’s state root',
      proof: withValue(proof, ['block', 'header', 'state_root_hash'], 'ab'.repeat(32)),
      link: 'block',
    },
    {
      name: 'the block’s signatures',
      proof: withValue(proof, ['block', 'proofs'], []),
      link: 'finality signatures',
    },
    {
      name: 'a switch block',
      proof: withValue(proof, ['switch_blocks', 1, 'header', 'height'], 21),
      link: 'switch block of era 1',
    },
    {
      name: 'its place in the history',
      proof: withValue(proof, ['index'], 0),
      link: `AttestationRegistry history[${WTI}#0]`,
    },
    { name: 'the number of values', proof: withValue(proof, ['count'], 2), link: 'reading' },
    {
      name: 'the feed',
      proof: withValue(proof, ['reading', 'feed_id'], BRENT),
      link: `FeedRegistry feeds[${BRENT}]`,
    },
  ]
}
