// The worker of `encodeTable`.
import { encodeTableHere, type Table } from './encodeTable.ts'

declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<Table>) => {
  const bytes = await encodeTableHere(data)
  self.postMessage(bytes, [bytes.buffer])
}
