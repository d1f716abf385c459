import { createByteWriter } from '@wattfeed/base'
import { type ClValue, writeClValue } from '@wattfeed/casper/types'

/** `bytesrepr` of a `CLValue`. */
export const encodeClValue = (value: ClValue): Uint8Array => writeClValue(createByteWriter(), value).finish()
