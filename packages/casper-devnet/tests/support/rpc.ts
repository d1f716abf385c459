import { createRpc, type Rpc, type RpcOptions } from '@wattfeed/casper'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { backOff, patience } from '@wattfeed/testing/patience'
import { localFetch } from './localNode.ts'

/** Calls nodes in this process, a URL each: what an answer throws is a connection that breaks. */
export function rpcOf(
  answers: AnswerRpc | Readonly<Record<string, AnswerRpc>>,
  options: Partial<RpcOptions> = {},
): Rpc {
  const nodes = typeof answers === 'function' ? { 'http://node.test/rpc': answers } : answers
  return createRpc({
    urls: Object.keys(nodes),
    chainName: 'casper-net-1',
    fetch: (url, init) => {
      const answer = nodes[url]
      if (answer === undefined) throw new Error(`no node at ${url}`)
      return localFetch(answer)(url, init)
    },
    ...patience,
    backOff,
    concurrency: 8,
    maxBodyBytes: 10_000_000,
    now: Date.now,
    onCall: () => {},
    ...options,
  })
}
