import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import type { ByteWriter } from './byteWriter.ts'
import { readPublicKey } from './clValueJson.ts'

/** What an era paid to a validator, or to an account that delegated to it. */
export interface SeigniorageAllocation {
  /** With the byte that tells the algorithm; null where the validator itself was paid. */
  readonly delegator: Uint8Array | null
  readonly validator: Uint8Array
  readonly amountMotes: bigint
}

/** What an era paid, in order. */
export type EraInfo = readonly SeigniorageAllocation[]

const VALIDATOR = 0
const DELEGATOR = 1

export function writeEraInfo(writer: ByteWriter, eraInfo: EraInfo): ByteWriter {
  writer.u32(eraInfo.length)
  for (const { delegator, validator, amountMotes } of eraInfo) {
    if (delegator === null) writer.u8(VALIDATOR)
    else writer.u8(DELEGATOR).bytes(delegator)
    writer.bytes(validator).bigUint(amountMotes)
  }
  return writer
}

/** Throws a `DecodeError`. */
export function readEraInfo(cursor: Cursor): EraInfo {
  const allocations: SeigniorageAllocation[] = []
  for (let rest = cursor.u32(); rest > 0; rest--) {
    const tag = cursor.u8()
    if (tag > DELEGATOR) throw new DecodeError('EraInfo', `no allocation ${tag}`)
    allocations.push({
      delegator: tag === DELEGATOR ? readPublicKey(cursor) : null,
      validator: readPublicKey(cursor),
      amountMotes: cursor.bigUint(64),
    })
  }
  return allocations
}

export function eraInfoJson(eraInfo: EraInfo): object {
  return { seigniorage_allocations: eraInfo.map(allocationJson) }
}

function allocationJson({ delegator, validator, amountMotes }: SeigniorageAllocation): object {
  const paid = { validator_public_key: encodeHex(validator), amount: String(amountMotes) }
  if (delegator === null) return { Validator: paid }
  return { Delegator: { delegator_public_key: encodeHex(delegator), ...paid } }
}
