import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Devnet, DevnetEndpoint, RpcAnswer } from '@wattfeed/casper-devnet'
import type { ChainView } from '../../../src/chain/chainView.ts'
import { chainOf } from '../../../src/keptChains.ts'
import { answerRpcText } from '../../../src/rpc/answerRpcText.ts'
import { createAnswerRpc } from '../../../src/rpc/createAnswerRpc.ts'
import { createCallFaults, NodeFaultError } from './callFaults.ts'
import type { Faults } from './faults.ts'
import { createViewFaults } from './viewFaults.ts'

/** A node of a chain that can be made to fail. Several nodes can serve the same chain, each with its own faults. */
export interface NodeWithFaults {
  /** @throws {NodeFaultError} when a fault refuses the call or breaks the connection */
  call(method: string, params?: unknown): Promise<RpcAnswer>
  readonly faults: Faults
}

/** Creates a node of a devnet with faults of its own. The devnet itself has none. */
export const nodeOf = (devnet: Devnet): NodeWithFaults => createNodeWithFaults(chainOf(devnet))

export function createNodeWithFaults(chain: ChainView): NodeWithFaults {
  const { view, faults: viewFaults } = createViewFaults(chain)
  const { call, faults: callFaults } = createCallFaults(createAnswerRpc(view), Bun.sleep)
  return {
    // Async, because an answer without a fault is not a promise.
    call: async (method, params) => call(method, params),
    faults: {
      ...viewFaults,
      ...callFaults,
      // Both have one.
      clear() {
        viewFaults.clear()
        callFaults.clear()
      },
    },
  }
}

/** An endpoint without an event stream. */
export type FaultyEndpoint = Omit<DevnetEndpoint, 'eventsUrl'>

/** Serves a node over HTTP, like `startDevnet`, without its event stream. It answers a refused call with 503, and breaks the connection of a dropped one. */
export async function startNodeWithFaults(node: Pick<NodeWithFaults, 'call'>): Promise<FaultyEndpoint> {
  const server = createServer(async (request, response) => {
    try {
      const answer = await answerRpcText(await text(request), node.call)
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    } catch (error) {
      if (error instanceof NodeFaultError && error.kind === 'refused') response.writeHead(503).end()
      else request.socket.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const stop = (): Promise<void> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}/rpc`, port, stop, [Symbol.asyncDispose]: stop }
}
