import { WattfeedError } from '../../errors.ts'
import { isRecord } from '../types/isRecord.ts'
import { TransportError } from './postJson.ts'

/** A node of another network than the one that was asked for. */
export class ChainNameMismatchError extends WattfeedError {
  static override readonly name = 'ChainNameMismatchError'
  readonly code = 'chain_name_mismatch'
  readonly retryable = false

  constructor(
    readonly expected: string,
    readonly actual: string,
  ) {
    super(
      `the node serves the chain ${JSON.stringify(actual.slice(0, 100))}, not ${JSON.stringify(expected)}; check the chain's name and the node's URL`,
    )
  }
}

/** The `chainspec_name` of an `info_get_status` result. */
export function readChainName(status: unknown): string {
  if (isRecord(status) && typeof status.chainspec_name === 'string') return status.chainspec_name
  throw new TransportError('info_get_status names no chain')
}
