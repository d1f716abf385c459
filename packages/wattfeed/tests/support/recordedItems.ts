import { memberAt } from '@wattfeed/base'
import { createRecordedRegistries } from '@wattfeed/casper-devnet/testing/recordings'
import { fromHex } from '@wattfeed/testing/decoding'

/** The bytes of every recorded dictionary item, by what it is in words. */
export const recordedItems: ReadonlyMap<string, Uint8Array> = new Map(
  createRecordedRegistries().exchanges.flatMap((exchange) => {
    const stored = memberAt(exchange, 'result', 'stored_value', 'CLValue')
    const bytes = memberAt(stored, 'bytes')
    return typeof bytes === 'string' && exchange.note ? [[exchange.note, fromHex(bytes)] as const] : []
  }),
)

/** The bytes of one recorded item. */
export function recordedItem(note: string): Uint8Array {
  const bytes = recordedItems.get(note)
  if (bytes === undefined) throw new Error(`nothing recorded as ${note}`)
  return bytes
}
