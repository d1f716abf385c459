/**
 * Runs a Casper chain in this process, for tests: real wasm, gas and JSON-RPC. For Bun.
 *
 * Every error is a {@link WattfeedError} with a literal `code`, facts as fields, and `retryable`. Times are epoch milliseconds, amounts of CSPR
 * are motes as `bigint`.
 *
 * @module @wattfeed/casper-devnet
 */

export { InvalidArgumentError, WattfeedError } from '@wattfeed/base'
export type { Arguments, ClType, ClValue, SimpleClType } from '@wattfeed/casper/types'
export type { ChainBlock } from './chain/chainBlock.ts'
export type { ChainEvent, ChainListener } from './chain/chainEvent.ts'
export * as cl from './clValues.ts'
export type { BlockJson, TransactionHash } from './consensus/formatBlock.ts'
export { createDevnet, type Devnet, type DevnetOptions } from './createDevnet.ts'
export { createSender, DevnetTransactionError, type Sender, type SenderChain } from './createSender.ts'
export type { DevnetAccount } from './devnetAccount.ts'
export type { DevnetView } from './devnetView.ts'
export { keyPath, writeKeys } from './keyFiles.ts'
export { methodNotFound, type NodeError, noSuchStateRoot, queryFailed } from './nodeErrors.ts'
export { type Protocol, protocols } from './protocol.ts'
export type { ReportFault } from './reportFault.ts'
export {
  type DevnetEndpoint,
  type DevnetEndpointOptions,
  type DevnetNode,
  DevnetPortError,
  startDevnet,
} from './rpc/startDevnet.ts'
export type { AnswerRpc, RpcAnswer, RpcError } from './rpcAnswer.ts'
export { READABLE_ROOTS } from './state/stateTrie.ts'
export type { DevnetTransaction, DevnetTransfer } from './transaction/signRequest.ts'
