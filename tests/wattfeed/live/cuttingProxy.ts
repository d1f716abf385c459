import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Forwards bytes to a TCP port or a Unix socket, and breaks connections on demand. */
export async function startCuttingProxy(target: number | string) {
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    const upstream = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.once('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    /** Number of connections so far. */
    connections: () => connections,
    /** Number of open connections, counting both ends. */
    open: () => open.size,
    /** Breaks all connections. */
    cut,
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
