import { connect } from 'node:net'

/** An HTTP answer as received on the socket. */
export interface RawAnswer {
  status: number
  /** By lower-case name. */
  headers: Record<string, string>
  body: string
}

/** Sends bytes unchanged and reads until the server closes; request that with `Connection: close`. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(chunks).toString())))
  })
}

/** Sends a request line unchanged, with a usual head. */
export const sendLine = (port: number, line: string, head = 'Host: localhost\r\n'): Promise<RawAnswer> =>
  sendRaw(port, `${line} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}
