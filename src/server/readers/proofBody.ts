import type { FeedProof } from 'wattfeed'
import { type FeedProofBody, feedProofBody } from '../../api/schemas.ts'
import { ChainDataError, createBodyCheck } from '../http/bodyCheck.ts'

const checkProof = createBodyCheck(feedProofBody, ChainDataError)

/** Returns the body of a proof of a reading, also within that of a series. */
export const proofBodyOf = (proof: FeedProof): FeedProofBody =>
  checkProof(
    // The lists of a schema's type are mutable, those of the library are not.
    { ...proof, items: [...proof.items], switch_blocks: [...proof.switch_blocks] },
    `the proof of feed "${proof.reading.feed_id}"`,
  )
