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
  const server = createServer().listen(asked, '127.0.0.1')
  await once(server, 'listening')
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
const [FIRST_PORT, PORTS] = [20_000, 12_000]

// Processes begin at different places, so that they do not get the same ports.
let nextPort = Math.floor(Math.random() * PORTS)

/** Returns a port that was free just now, for programs that cannot choose a free port and report it. */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < PORTS; attempts++) {
    const port = FIRST_PORT + (nextPort++ % PORTS)
    const taken = await listenOn(port).catch(() => null)
    await taken?.[Symbol.asyncDispose]()
    if (taken !== null) return port
  }
  throw new Error(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is free`)
}
