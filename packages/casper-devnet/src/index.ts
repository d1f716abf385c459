export type { ChainBlock } from './chain/chainView.ts'
export { createDevnet, type Devnet, type DevnetOptions } from './createDevnet.ts'
export type { DevnetNode } from './createNode.ts'
export { createSender, DevnetTransactionError, type Sender } from './createSender.ts'
export type { DevnetAccount } from './devnetAccount.ts'
export { NodeFaultError } from './faults/callFaults.ts'
export type { FaultScope, Faults, LieOptions } from './faults/faults.ts'
export { keyPath, writeKeys } from './keyFiles.ts'
export { methodNotFound, noSuchStateRoot, queryFailed } from './nodeErrors.ts'
export {
  type DevnetEndpoint,
  type DevnetEndpointOptions,
  DevnetPortError,
  startDevnet,
} from './rpc/startDevnet.ts'
export type { AnswerRpc, RpcAnswer, RpcError } from './rpcAnswer.ts'
export { READABLE_ROOTS } from './state/stateTrie.ts'
