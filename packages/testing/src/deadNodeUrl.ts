import { once } from 'node:events'
import { createServer } from 'node:net'

/** Returns the URL of a node that does not exist, at a port that was free just now. */
export async function deadNodeUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = Object(server.address())
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}/rpc`
}
