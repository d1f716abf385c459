import { type Devnet, type DevnetEndpoint, startDevnet } from '@wattfeed/casper-devnet'

/** The call to stop at, before or after the chain processes it. */
export interface StopPoint {
  method: string
  /** The nth call of the method from now on. @default 1 */
  nth?: number
  when: 'before' | 'after'
}

/** A node of a devnet over HTTP that records its calls and can stop at one. */
export interface WatchedNode extends DevnetEndpoint {
  /** The called methods, in order. */
  readonly calls: string[]
  /** Resolves when the call arrives. The node never answers it, so kill the caller; it answers other calls. */
  stopAt(point: StopPoint): Promise<void>
}

/**
 * @param onAnswered called with each method before its answer is sent
 *
 * @example
 * ```ts
 * await using node = await startWatchedNode(devnet)
 * const reached = node.stopAt({ method: 'account_put_transaction', when: 'after' })
 * const agent = startDevnetProgram('agent', ['--once'], { CASPER_RPC_URL: node.url }, folder.path)
 * await reached
 * await agent.kill()
 * ```
 */
export async function startWatchedNode(
  node: Pick<Devnet, 'call'>,
  onAnswered: (method: string) => void = () => {},
): Promise<WatchedNode> {
  const calls: string[] = []
  let stop: (Required<StopPoint> & { reached: () => void }) | null = null

  async function stopHere(method: string, when: StopPoint['when']): Promise<void> {
    if (stop?.method !== method || stop.when !== when) return
    stop.nth -= 1
    if (stop.nth > 0) return
    stop.reached()
    stop = null
    await new Promise(() => {})
  }

  const endpoint = await startDevnet({
    async call(method, params) {
      calls.push(method)
      await stopHere(method, 'before')
      const answer = await node.call(method, params)
      onAnswered(method)
      await stopHere(method, 'after')
      return answer
    },
  })
  return {
    ...endpoint,
    calls,
    stopAt: ({ nth = 1, ...point }) =>
      new Promise((reached) => {
        stop = { ...point, nth, reached }
      }),
  }
}
