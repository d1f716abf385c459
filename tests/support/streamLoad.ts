import { fileURLToPath } from 'node:url'

/** What the clients of a stream received so far, all together. */
export interface StreamLoadReport {
  /** How many have received something. */
  open: number
  /** How many were closed by the server. */
  closed: number
  /** The events that every client has received. */
  events: number
  /** From the first client's to the last one's, for each of those events, in milliseconds. */
  spreadsMs: readonly number[]
  /** Comments and ids alone. */
  signs: number
}

/** Many clients of a stream, in a process of their own. */
export interface StreamLoad extends AsyncDisposable {
  report(): Promise<StreamLoadReport>
}

/** Opens so many streams, each with a connection of its own. */
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
  /** What an event's beginning may be split over. */
  rest: Buffer
}

if (import.meta.main) {
  const { hostname, port, pathname } = new URL(process.argv[2] ?? '')
  const streams = Number(process.argv[3])
  /** For each event: how many clients have it, and when the first and the last received it. */
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
    // One after another: the queue of connections not accepted yet is short.
    await Bun.connect<Client>({
      hostname,
      port: Number(port),
      socket: {
        open(socket) {
          socket.data = { events: 0, isOpen: false, rest: EMPTY }
          socket.write(head)
        },
        data: (socket, data) => count(socket.data, data),
        // An error is followed by this.
        close() {
          closed += 1
        },
      },
    })
}
