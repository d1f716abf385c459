import type { ChainView } from './chain/chainView.ts'
import { createCallFaults } from './faults/callFaults.ts'
import type { Faults } from './faults/faults.ts'
import { createViewFaults } from './faults/viewFaults.ts'
import type { ReportFault } from './reportFault.ts'
import { createAnswerRpc } from './rpc/createAnswerRpc.ts'
import type { RpcAnswer } from './rpcAnswer.ts'

/** A node of a chain. Several nodes can serve the same chain, each with its own faults. */
export interface DevnetNode {
  /**
   * Answers a JSON-RPC call in this process, without a socket.
   *
   * @throws {@link NodeFaultError} when a fault refuses the call or breaks the connection.
   */
  call(method: string, params?: unknown): Promise<RpcAnswer>
  /** Injects faults into this node. */
  readonly faults: Faults
}

export function createNode(chain: ChainView, report?: ReportFault): DevnetNode {
  const { view, faults: viewFaults } = createViewFaults(chain)
  const { call, faults: callFaults } = createCallFaults(createAnswerRpc(view, report), Bun.sleep)
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
