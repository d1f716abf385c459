/**
 * Runs an embedded Casper chain, for tests. For Bun.
 *
 * @module wattfeed/devnet
 */
export { WattfeedError } from '@wattfeed/base'
export type { Feed } from '../registry/feed.ts'
export type { ChainBlock } from './chain/chainView.ts'
export { createDevnet, type Devnet, type DevnetOptions } from './createDevnet.ts'
export type { DevnetNode } from './createNode.ts'
export { DevnetTransactionError } from './createSender.ts'
export type { DevnetAccount } from './devnetAccount.ts'
export { NodeFaultError } from './faults/callFaults.ts'
export type { FaultScope, Faults, LieOptions } from './faults/faults.ts'
export { type InstalledRegistries, installRegistries, type NewValue } from './installRegistries.ts'
export {
  type DevnetEndpoint,
  type DevnetEndpointOptions,
  DevnetPortError,
  startDevnet,
} from './rpc/startDevnet.ts'
export type { RpcAnswer, RpcError } from './rpcAnswer.ts'
