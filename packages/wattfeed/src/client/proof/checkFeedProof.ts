import { DecodeError } from '@wattfeed/base'
import { isRecord } from '@wattfeed/casper/types'
import {
  assertFeedAbsence,
  assertFeedProof,
  assertFeedsProof,
  assertHistoryProof,
  assertRangeProof,
  assertSeriesProof,
} from './assertProof.ts'
import { checkAbsence } from './checkAbsence.ts'
import { BrokenLink, createChecker } from './checker.ts'
import { checkFeedsProof } from './checkFeedsProof.ts'
import { checkHistoryProof } from './checkHistoryProof.ts'
import { checkRangeProof } from './checkRangeProof.ts'
import { checkSeriesProof } from './checkSeriesProof.ts'
import { checkValueProof } from './checkValueProof.ts'
import type { FeedProofCheck, FeedProofTrust } from './feedProofCheck.ts'
import { parseTrust } from './parseTrust.ts'

/** Implements `verifyFeedProof`. Loaded on demand. */
export async function checkFeedProof(json: unknown, given: FeedProofTrust): Promise<FeedProofCheck> {
  const trust = parseTrust(given)
  if (!isRecord(json)) throw new DecodeError('feed proof', 'expected a JSON object')
  const checker = createChecker()
  const { links } = checker
  try {
    // The first format has no kind, so a member tells them apart.
    if ('statement' in json) {
      assertSeriesProof(json)
      return { reading: null, series: await checkSeriesProof(json, trust, checker), links }
    }
    if ('absence' in json) {
      if (json.absence === null) throw new DecodeError('feed proof', 'the server could not prove the absence')
      assertFeedAbsence(json.absence)
      return { reading: null, absence: await checkAbsence(json.absence, trust, checker), links }
    }
    if ('feed_ids' in json) {
      assertFeedsProof(json)
      return { reading: null, feeds: await checkFeedsProof(json, trust, checker), links }
    }
    if ('values' in json) {
      assertHistoryProof(json)
      return { reading: null, history: await checkHistoryProof(json, trust, checker), links }
    }
    if ('range' in json) {
      assertRangeProof(json)
      return { reading: null, range: await checkRangeProof(json, trust, checker), links }
    }
    assertFeedProof(json)
    const { height, ...proven } = await checkValueProof(json, trust, checker)
    return { ...proven, links }
  } catch (error) {
    if (!(error instanceof BrokenLink)) throw error
    return { reading: null, links }
  }
}
