import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '../../bytes/byteWriter.ts'
import { type ClValue, writeClValue } from '../../casper/types/clValue.ts'

/** A frame of the call stack: the account that sent the transaction, or a contract. */
export type Caller =
  | { readonly kind: 'account'; readonly accountHash: Uint8Array }
  | { readonly kind: 'contract'; readonly packageHash: Uint8Array; readonly contractHash: Uint8Array }

const ACCOUNT = 0
const CONTRACT = 4

/**
 * Frames as a contract reads them: a `List` of `Any`, of each frame a byte for its kind and five fields by number:
 * account, package, contract package, entity, contract. The second and the fourth belong to addressable entities and
 * are never there.
 */
export function encodeCallers(callers: readonly Caller[]): ClValue {
  const writer = createByteWriter(256).u32(callers.length)
  for (const caller of callers) {
    const isAccount = caller.kind === 'account'
    const fields = [
      optionalHash(isAccount ? caller.accountHash : null),
      optionalHash(null),
      optionalHash(isAccount ? null : caller.packageHash),
      { clType: { Option: 'Any' }, bytes: Uint8Array.of(0) } as const,
      optionalHash(isAccount ? null : caller.contractHash),
    ]
    writer.u8(isAccount ? ACCOUNT : CONTRACT).u32(fields.length)
    fields.forEach((field, index) => {
      writeClValue(writer.u8(index), field)
    })
  }
  return { clType: { List: 'Any' }, bytes: writer.finish() }
}

const optionalHash = (hash: Uint8Array | null): ClValue => ({
  clType: { Option: { ByteArray: 32 } },
  bytes: hash === null ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), hash),
})
