import { decodeHex, memberAt } from '@wattfeed/base'
import { decodeMerkleProof } from '@wattfeed/casper/testing/internals'
import { type Exchange, readRecording } from '../support/recordings.ts'

/** A recorded read of global state, with the value that its proof contains. */
export interface RecordedRead {
  exchange: Exchange
  /** The serialized key. */
  key: Uint8Array
  /** `bytesrepr` of the stored value. */
  stored: Uint8Array
}

const UREF_TAG = 2

/** Every read of global state in the recordings. */
export function readRecordedState(): RecordedRead[] {
  return ['snapshot', 'history', 'events', 'accounts']
    .flatMap((name) => readRecording(name))
    .flatMap((exchange) => {
      const proof = memberAt('result' in exchange ? exchange.result : null, 'merkle_proof')
      return typeof proof === 'string' ? [{ exchange, ...leafOf(decodeHex(proof, 'merkle_proof')) }] : []
    })
}

function leafOf(proof: Uint8Array): { key: Uint8Array; stored: Uint8Array } {
  const keyBytes = proof[4] === UREF_TAG ? 34 : 33
  const { leaf } = decodeMerkleProof(proof, keyBytes)
  return { key: leaf.slice(0, keyBytes), stored: leaf.slice(keyBytes) }
}
