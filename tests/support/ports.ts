import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port of 127.0.0.1 that is reserved until it is disposed of. */
export interface TakenPort extends AsyncDisposable {
  readonly port: number
}

/** Reserves a free port. */
export const takePort = (): Promise<TakenPort> => listenOn(0)

/** @throws the system's error if the port is in use */
async function listenOn(asked: number): Promise<TakenPort> {
  // Another process may still connect to a program that had this port, or will have it: an open connection would keep the
  // port from being closed.
  const server = createServer((socket) => socket.destroy()).listen(asked, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** The ports of {@link freePort}: systems give others to connections, and to programs that ask for any port. */
const [FIRST_PORT, BLOCKS, BLOCK_SIZE] = [20_000, 120, 100]

let ownBlock: Promise<TakenPort> | null = null
let given = 0

/**
 * Reserves a block of ports until this process ends, by its first port. Without it, a port could be given to two processes,
 * before either of them listens there.
 */
async function takeBlock(): Promise<TakenPort> {
  const start = Math.floor(Math.random() * BLOCKS)
  for (let attempts = 0; attempts < BLOCKS; attempts++) {
    const first = FIRST_PORT + ((start + attempts) % BLOCKS) * BLOCK_SIZE
    const taken = await listenOn(first).catch(() => null)
    if (taken !== null) return taken
  }
  throw new Error(`no block of ports from ${FIRST_PORT} on is free`)
}

/** Returns a port that was free just now, for programs that cannot choose a free port and report it. */
export async function freePort(): Promise<number> {
  ownBlock ??= takeBlock()
  const { port: first } = await ownBlock
  for (let attempts = 1; attempts < BLOCK_SIZE; attempts++) {
    const port = first + 1 + (given++ % (BLOCK_SIZE - 1))
    const taken = await listenOn(port).catch(() => null)
    await taken?.[Symbol.asyncDispose]()
    if (taken !== null) return port
  }
  throw new Error(`no port from ${first + 1} to ${first + BLOCK_SIZE - 1} is free`)
}
