// cspell:ignore IPPROTO libc
import { dlopen, ptr } from 'bun:ffi'

/** An answer as it arrived, and the number of TCP segments. */
export interface Arrived {
  head: string
  body: Buffer
  segments: number
}

/** Whether segments can be counted here. */
export const canCountSegments = process.platform === 'linux'

/**
 * Requests a URL, and counts the segments of the answer. A server on this machine makes one for each write of at most 32 kB,
 * because Bun sends without delay.
 */
export function countSegments(url: string, headers: Record<string, string> = {}): Promise<Arrived> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  let received = Buffer.alloc(0)
  return new Promise((resolve, reject) => {
    const open = (socket: Bun.Socket) =>
      void socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`)
    const data = (socket: Bun.Socket, chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const bodyStart = received.indexOf('\r\n\r\n') + 4
      const head = received.toString('latin1', 0, bodyStart)
      const length = /content-length: *(\d+)/i.exec(head)?.[1]
      if (bodyStart > 3 && length === undefined) return reject(new Error(`no Content-Length: ${head}`))
      if (length === undefined || received.length < bodyStart + Number(length)) return
      const segments = segmentsOf(Number(Reflect.get(socket, 'fd')))
      socket.end()
      resolve({ head, body: received.subarray(bodyStart), segments })
    }
    const error = (_: Bun.Socket, reason: Error) => reject(reason)
    Bun.connect({ hostname, port: Number(port), socket: { open, data, error } }).catch(reject)
  })
}

/** From the kernel's headers. */
const [TCP, TCP_INFO] = [6, 11]

/** Offset of `tcpi_data_segs_in` in the kernel's `struct tcp_info`. */
const DATA_SEGMENTS_IN = 152

function segmentsOf(fileDescriptor: number): number {
  const info = new Uint8Array(DATA_SEGMENTS_IN + 4)
  const length = new Uint32Array([info.length])
  const { symbols } = dlopen('libc.so.6', {
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  })
  if (symbols.getsockopt(fileDescriptor, TCP, TCP_INFO, ptr(info), ptr(length)) !== 0)
    throw new Error('the kernel does not count segments')
  return new DataView(info.buffer).getUint32(DATA_SEGMENTS_IN, true)
}
