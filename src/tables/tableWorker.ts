import { formatHere, type Table } from './formatTable.ts'

/** Runs in a worker of its own: formats the table that it is sent. */
declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<Table>) => {
  const bytes = await formatHere(data)
  self.postMessage(bytes, [bytes.buffer])
}
