import type { Fetch } from '@wattfeed/base'
import { createRpc, type Rpc, type RpcOptions } from '@wattfeed/casper'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { backOff, patience } from '@wattfeed/testing/patience'
import { answerRpcText } from '../../src/rpc/answerRpcText.ts'

/** Answers without a network: a node without a socket. */
export function localFetch(answer: AnswerRpc): Fetch {
  return async (_url, init) => {
    init.signal?.throwIfAborted()
    return new Response(await answerRpcText(String(init.body), answer))
  }
}

/** Calls a node in this process; answers `info_get_status` with the expected chain. */
export function createLocalRpc(answer: AnswerRpc, options: Partial<RpcOptions> = {}): Rpc {
  return createRpc({
    urls: ['http://node.test/rpc'],
    chainName: 'test',
    fetch: localFetch((method, params) =>
      method === 'info_get_status' ? { result: { chainspec_name: 'test' } } : answer(method, params),
    ),
    ...patience,
    backOff,
    concurrency: 128,
    maxBodyBytes: 10_000_000,
    now: Date.now,
    onCall: () => {},
    ...options,
  })
}

/** A node's answer for an absent item. */
export const absent = {
  error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' },
}

/** A stored `CLValue` in a node's answer. */
export const clValueResult = (bytes: string): { result: object } => ({
  result: { stored_value: { CLValue: { cl_type: { List: 'U8' }, bytes, parsed: null } } },
})
