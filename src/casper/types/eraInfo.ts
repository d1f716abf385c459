import { bytesToHex } from '@noble/hashes/utils.js'
import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { readList } from './readList.ts'

/** A stored `EraInfo` as a node prints it. */
export interface EraInfo {
  seigniorage_allocations: SeigniorageAllocation[]
}

export type SeigniorageAllocation =
  | { Validator: { validator_public_key: string; amount: string } }
  | { Delegator: { delegator_public_key: string; validator_public_key: string; amount: string } }

/** Reads a serialized `EraInfo`. @throws {DecodeError} where it is none. */
export function readEraInfo(cursor: Cursor): EraInfo {
  return { seigniorage_allocations: readList(cursor, readAllocation) }
}

function readAllocation(cursor: Cursor): SeigniorageAllocation {
  const tag = cursor.u8()
  const amount = (): string => String(cursor.bigUint(64))
  if (tag === 0) return { Validator: { validator_public_key: readPublicKey(cursor), amount: amount() } }
  if (tag !== 1) throw new DecodeError('SeigniorageAllocation', `tag ${tag} is unknown`)
  return {
    Delegator: {
      delegator_public_key: readPublicKey(cursor),
      validator_public_key: readPublicKey(cursor),
      amount: amount(),
    },
  }
}

/** One byte names the algorithm: 0 the system, 1 ed25519, 2 secp256k1. */
function readPublicKey(cursor: Cursor): string {
  const tag = cursor.u8()
  const length = [0, 32, 33][tag]
  if (length === undefined) throw new DecodeError('PublicKey', `tag ${tag} is unknown`)
  return `0${tag}${bytesToHex(cursor.bytes(length))}`
}
