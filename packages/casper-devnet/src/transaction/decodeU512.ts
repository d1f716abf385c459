import { createCursor, DecodeError } from '@wattfeed/base'
import type { ClValue } from '@wattfeed/casper/types'

/** Returns an amount; null if the value has another type, or is not valid. */
export function decodeU512({ clType, bytes }: ClValue): bigint | null {
  if (clType !== 'U512') return null
  try {
    const cursor = createCursor(bytes, 'U512')
    const value = cursor.bigUint(64)
    cursor.end()
    return value
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}
