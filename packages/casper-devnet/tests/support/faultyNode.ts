import { createServer, type Socket } from 'node:net'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { type RawRequest, readRequests } from '@wattfeed/testing/rawHttp'
import { type CallCounter, createCallCounter } from './callCounter.ts'
import type { FaultPlan } from './faultPlan.ts'

/** A node on a real socket that answers with the faults of its plan. */
export interface FaultyNode extends AsyncDisposable {
  url: string
  calls: CallCounter
  /** Number of sent bytes of endless answers. */
  bytesSent(): number
  /** Resolves once the client has disconnected from every unfinished answer. */
  abandoned(): Promise<void>
  stop(): Promise<void>
}

/**
 * @param answer the honest answers
 *
 * @example
 * ```ts
 * await using node = await startFaultyNode(chain.answer, script(http500, hang))
 * ```
 */
export async function startFaultyNode(answer: AnswerRpc, plan: FaultPlan): Promise<FaultyNode> {
  const sockets = new Set<Socket>()
  const calls = createCallCounter(answer)
  let bytesSent = 0
  const unfinished = new Set<Socket>()
  let onAbandoned = (): void => {}

  const respond = async (socket: Socket, { head, body }: RawRequest): Promise<void> => {
    const { id, method, params } = JSON.parse(body)
    const fault = plan({ method, params })
    const honestAnswer = await calls.answer(method, params)
    if (socket.destroyed) return
    fault({
      id,
      head,
      method,
      answer: honestAnswer,
      socket,
      leaveUnfinished: () => unfinished.add(socket),
      onBytesSent: (bytes) => {
        bytesSent += bytes
      },
    })
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      unfinished.delete(socket)
      if (unfinished.size === 0) onAbandoned()
    })
    readRequests(socket, (request) => void respond(socket, request))
  })
  const port = await listen(server)
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return {
    url: `http://127.0.0.1:${port}/rpc`,
    calls,
    bytesSent: () => bytesSent,
    abandoned: () =>
      new Promise((resolve) => {
        onAbandoned = resolve
        if (unfinished.size === 0) resolve()
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
