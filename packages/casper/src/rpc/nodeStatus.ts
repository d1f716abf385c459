import { WattfeedError } from '@wattfeed/base'
import { isRecord } from '../types/jsonField.ts'
import { PROTOCOL_VERSION } from '../types/protocolVersion.ts'
import { TransportError } from './jsonRpc.ts'

/**
 * A node belongs to a network other than the configured one.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, ChainNameMismatchError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   for (const { host, error: cause } of error.failures)
 *     if (cause instanceof ChainNameMismatchError) console.error(host, cause.actual)
 * }
 * ```
 */
export class ChainNameMismatchError extends WattfeedError {
  static override readonly name = 'ChainNameMismatchError'
  readonly code = 'chain_name_mismatch'
  readonly retryable = false

  constructor(
    /** The configured name of the chain. */
    readonly expected: string,
    /** The name that the node reports. */
    readonly actual: string,
  ) {
    super(
      `the node serves the chain ${JSON.stringify(actual.slice(0, 100))}, not ${JSON.stringify(expected)}; check the chain name and the node URL`,
    )
  }
}

/** Returns the `chainspec_name` of an `info_get_status` result. @throws {TransportError} if it has none. */
export function readChainName(status: unknown): string {
  if (isRecord(status) && typeof status.chainspec_name === 'string') return status.chainspec_name
  throw new TransportError('info_get_status has no chainspec_name')
}

/** Returns the `protocol_version` of an `info_get_status` result, such as `2.2.2`; null if it has none of this form. */
export function readProtocolVersion(status: unknown): string | null {
  const version = isRecord(status) ? status.protocol_version : undefined
  return typeof version === 'string' && PROTOCOL_VERSION.test(version) ? version : null
}

/** A node's newest block, as reported by the node. */
export interface NewestBlock {
  /** Height of the block. */
  readonly height: number
  /** Hash of the block: 64 hex digits. */
  readonly hash: string
  /** Time of the block, in epoch milliseconds. */
  readonly timestamp: number
}

/** Maximum lead of a block's time over this machine's clock, in milliseconds. Beyond it, block or clock is wrong. */
export const MAX_CLOCK_AHEAD_MS = 60_000

/** Returns the `last_added_block_info` of an `info_get_status` result; null if it has none. */
export function readNewestBlock(status: unknown): NewestBlock | null {
  const info = isRecord(status) ? status.last_added_block_info : undefined
  if (!isRecord(info)) return null
  const { height, hash, timestamp } = info
  const time = Date.parse(String(timestamp))
  if (typeof height !== 'number' || typeof hash !== 'string' || Number.isNaN(time)) return null
  return { height, hash, timestamp: time }
}
