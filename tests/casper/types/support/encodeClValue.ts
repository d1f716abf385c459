import { createByteWriter } from '../../../../src/bytes/byteWriter.ts'
import { type ClValue, writeClValue } from '../../../../src/casper/types/clValue.ts'

/** `bytesrepr` of a `CLValue`. */
export const encodeClValue = (value: ClValue): Uint8Array => writeClValue(createByteWriter(), value).finish()
