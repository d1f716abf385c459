import type { ChainView } from './chain/chainView.ts'
import type { Faults } from './faults/faults.ts'
import { spoilCalls, type Wait } from './faults/spoilCalls.ts'
import { spoilView } from './faults/spoilView.ts'
import type { ReportFault } from './reportFault.ts'
import { answerRpc } from './rpc/answerRpc.ts'
import type { RpcAnswer } from './rpcAnswer.ts'

/** One node of a chain: several may serve the same chain, each with faults of its own. */
export interface DevnetNode {
  /** Answers one call. Throws a `NodeFaultError` where a connection would be refused or break. */
  call(method: string, params?: unknown): Promise<RpcAnswer>
  readonly faults: Faults
}

/** @param report is told of the node's own bugs. @default standard error */
export function createNode(chain: ChainView, report?: ReportFault): DevnetNode {
  const { view, faults: viewFaults } = spoilView(chain)
  const { call, faults: callFaults } = spoilCalls(answerRpc(view, report), timer)
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
