import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port of 127.0.0.1 that is reserved until it is disposed of. */
export interface TakenPort extends AsyncDisposable {
  readonly port: number
}

/** Reserves a free port. */
export async function takePort(): Promise<TakenPort> {
  const server = createServer().listen(0, '127.0.0.1')
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

/** Returns a port that was free just now, for programs that cannot choose a free port and report it. */
export async function freePort(): Promise<number> {
  await using taken = await takePort()
  return taken.port
}
