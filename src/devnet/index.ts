/**
 * Runs an embedded Casper chain, for tests. For Bun.
 *
 * @module wattfeed-cli/devnet
 */
export { InvalidArgumentError, WattfeedError } from '@wattfeed/base'
export type {
  ChainBlock,
  DevnetAccount,
  RpcAnswer,
  RpcError,
} from '@wattfeed/casper-devnet'
export {
  createDevnet,
  type Devnet,
  type DevnetEndpoint,
  type DevnetEndpointOptions,
  type DevnetOptions,
  DevnetPortError,
  DevnetTransactionError,
  startDevnet,
} from '@wattfeed/casper-devnet'
export type { Feed } from 'wattfeed'
export { type InstalledRegistries, installRegistries, type NewValue } from './installRegistries.ts'
