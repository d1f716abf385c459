import { encodeHex } from '../../bytes/hex.ts'
import { formatClValue } from '../../casper/types/clValue.ts'
import type { JsonWriter } from '../../casper/types/codec.ts'
import { formatDuration } from '../../casper/types/duration.ts'

export const nodeWriter: JsonWriter = {
  bytes: encodeHex,
  accountHash: (digits) => `account-hash-${digits}`,
  timestamp: (ms) => new Date(ms).toISOString(),
  duration: formatDuration,
  clValue: formatClValue,
}
