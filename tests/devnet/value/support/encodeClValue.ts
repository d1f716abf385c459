import { createByteWriter } from '../../../../src/devnet/value/byteWriter.ts'
import { type ClValue, writeClValue } from '../../../../src/devnet/value/clValue.ts'

/** `bytesrepr` of a `CLValue`. */
export const encodeClValue = (value: ClValue): Uint8Array => writeClValue(createByteWriter(), value).finish()
