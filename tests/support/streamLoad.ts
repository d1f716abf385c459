import { fileURLToPath } from 'node:url'

/** Totals of what the clients of a stream have received. */
export interface StreamLoadReport {
  /** Number of clients that have received something. */
  open: number
  /** Number of clients that the server has disconnected. */
  closed: number
  /** Number of events that every client has received. */
  events: number
  /** For each of those events, the milliseconds from its first to its last client. */
  spreadsMs: readonly number[]
  /** Number of messages with only a comment or an id. */
  signs: number
}

/** Many clients of a stream, in a separate process. */
export interface StreamLoad extends AsyncDisposable {
  report(): Promise<StreamLoadReport>
}

/** Opens this number of streams, each on its own connection. */
export function startStreamLoad(url: string, streams: number): StreamLoad {
  const answers: ((report: StreamLoadReport) => void)[] = []
  const child = Bun.spawn([process.execPath, fileURLToPath(import.meta.url), url, String(streams)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    ipc: (report) => answers.shift()?.(report),
  })
  return {
    report() {
      child.send('report')
      return new Promise((resolve) => answers.push(resolve))
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

const EVENT = Buffer.from('\nevent: attested')
const EMPTY = Buffer.alloc(0)

interface Client {
  events: number
  isOpen: boolean
  /** Last bytes received, because an event's start may arrive in pieces. */
  rest: Buffer
}

if (import.meta.main) {
  const { hostname, port, pathname } = new URL(process.argv[2] ?? '')
  const streams = Number(process.argv[3])
  /** For each event: the number of clients that have it, and the times of the first and the last arrival. */
  const received: { clients: number; firstMs: number; lastMs: number }[] = []
  let [open, closed, signs] = [0, 0, 0]

  function count(client: Client, data: Buffer): void {
    if (!client.isOpen) {
      client.isOpen = true
      open += 1
    }
    const text = client.rest.length === 0 ? data : Buffer.concat([client.rest, data])
    let end = 0
    for (let at = text.indexOf(EVENT); at >= 0; at = text.indexOf(EVENT, end)) {
      end = at + EVENT.length
      note(client.events++)
    }
    if (end === 0) signs += 1
    client.rest = Buffer.from(text.subarray(Math.max(end, text.length - EVENT.length + 1)))
  }

  function note(event: number): void {
    const nowMs = performance.now()
    const known = received[event] ?? { clients: 0, firstMs: nowMs, lastMs: nowMs }
    received[event] = { ...known, clients: known.clients + 1, lastMs: nowMs }
  }

  function report(): StreamLoadReport {
    const whole = received.filter(({ clients }) => clients === streams)
    const spreadsMs = whole.map(({ firstMs, lastMs }) => lastMs - firstMs)
    return { open, closed, events: whole.length, spreadsMs, signs }
  }

  process.on('message', () => process.send?.(report()))
  process.on('disconnect', () => process.exit())

  const head = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`
  for (let index = 0; index < streams; index++)
    // One after another, because the queue of connections to accept is short.
    await Bun.connect<Client>({
      hostname,
      port: Number(port),
      socket: {
        open(socket) {
          socket.data = { events: 0, isOpen: false, rest: EMPTY }
          socket.write(head)
        },
        data: (socket, data) => count(socket.data, data),
        // Also called after an error.
        close() {
          closed += 1
        },
      },
    })
}
