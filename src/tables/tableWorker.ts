import { encodeTableHere, type Table } from './encodeTable.ts'

/** Runs in a worker of its own: formats the table that it is sent. */
declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<Table>) => {
  const bytes = await encodeTableHere(data)
  self.postMessage(bytes, [bytes.buffer])
}
