import type { ByteWriter } from '../../bytes/byteWriter.ts'
import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { readPublicKey } from './clValue.ts'

/** The payouts of an era in order, in the node's JSON. */
export interface EraInfo {
  readonly seigniorage_allocations: readonly SeigniorageAllocation[]
}

/** A payout to a validator, or to an account that delegated to it. */
export type SeigniorageAllocation = { readonly Validator: Paid } | { readonly Delegator: Delegated }

interface Paid {
  /** Hex, starting with the algorithm byte. */
  readonly validator_public_key: string
  /** Motes. */
  readonly amount: string
}

interface Delegated extends Paid {
  readonly delegator_public_key: string
}

export function readEraInfo(cursor: Cursor): EraInfo {
  return { seigniorage_allocations: cursor.list(readAllocation) }
}

function readAllocation(cursor: Cursor): SeigniorageAllocation {
  const tag = cursor.u8()
  const key = (): string => encodeHex(readPublicKey(cursor))
  const paid = (): Paid => ({ validator_public_key: key(), amount: String(cursor.bigUint(64)) })
  if (tag === 0) return { Validator: paid() }
  if (tag === 1) return { Delegator: { delegator_public_key: key(), ...paid() } }
  throw new DecodeError('SeigniorageAllocation', `unknown tag ${tag}`)
}

export function writeEraInfo(writer: ByteWriter, eraInfo: EraInfo): ByteWriter {
  return writer.list(eraInfo.seigniorage_allocations, (each) => {
    if ('Validator' in each) return writePaid(writer.u8(0), each.Validator)
    return writePaid(writer.u8(1).hex(each.Delegator.delegator_public_key), each.Delegator)
  })
}

const writePaid = (writer: ByteWriter, { validator_public_key, amount }: Paid): ByteWriter =>
  writer.hex(validator_public_key).bigUint(BigInt(amount))
