import type { ChainView } from './chain/chainView.ts'
import { createCallFaults, type Wait } from './faults/callFaults.ts'
import type { Faults } from './faults/faults.ts'
import { createViewFaults } from './faults/viewFaults.ts'
import type { ReportFault } from './reportFault.ts'
import { answerRpc } from './rpc/answerRpc.ts'
import type { RpcAnswer } from './rpcAnswer.ts'

/** A node of a chain. Several nodes can serve the same chain, each with its own faults. */
export interface DevnetNode {
  /**
   * Answers a JSON-RPC call.
   *
   * @throws {@link NodeFaultError} when a fault refuses the call or breaks the connection.
   */
  call(method: string, params?: unknown): Promise<RpcAnswer>
  /** Faults of this node. */
  readonly faults: Faults
}

export function createNode(chain: ChainView, report?: ReportFault): DevnetNode {
  const { view, faults: viewFaults } = createViewFaults(chain)
  const { call, faults: callFaults } = createCallFaults(answerRpc(view, report), timer)
  const clear = (): void => {
    viewFaults.clear()
    callFaults.clear()
  }
  return {
    call: async (method, params) => call(method, params),
    faults: { ...viewFaults, ...callFaults, clear },
  }
}

const timer: Wait = (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs))
