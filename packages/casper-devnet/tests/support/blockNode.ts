import type { Rpc, RpcCallEvent } from '@wattfeed/casper'
import type { BlockJson } from '@wattfeed/casper/testing/signedChain'
import type { AnswerRpc, RpcAnswer } from '@wattfeed/casper-devnet'
import { rpcOf } from './rpc.ts'

/** A node that has these blocks; the last one is its newest. */
export function blockNode(blocks: () => readonly BlockJson[]): AnswerRpc {
  return (method, params): RpcAnswer => {
    if (method !== 'chain_get_block') return { error: { code: -32601, message: 'Method not found' } }
    const { block_identifier: wanted } = params as { block_identifier?: { Hash?: string; Height?: number } }
    const found = wanted
      ? blocks().find(
          ({ block: { Version2 } }) =>
            Version2.hash === wanted.Hash ||
            (wanted.Hash === undefined && Version2.header.height === wanted.Height),
        )
      : blocks().at(-1)
    if (found === undefined) return { error: { code: -32001, message: 'No such block' } }
    return { result: { api_version: '2.0.0', block_with_signatures: found } }
  }
}

/** Calls several nodes of one chain in this order; `calls` are the finished ones. */
export function createNodesRpc(
  chainName: string,
  ...nodes: AnswerRpc[]
): { rpc: Rpc; calls: RpcCallEvent[] } {
  const calls: RpcCallEvent[] = []
  const answers = nodes.map((answer, index): [url: string, AnswerRpc] => [
    `http://node${index}.test/rpc`,
    (method, params) =>
      method === 'info_get_status' ? { result: { chainspec_name: chainName } } : answer(method, params),
  ])
  const rpc = rpcOf(Object.fromEntries(answers), { chainName, onCall: (event) => calls.push(event) })
  return { rpc, calls }
}
