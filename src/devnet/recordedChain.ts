import { member } from './canonicalCall.ts'
import type { Exchange } from './exchange.ts'

/** What a recording is about. */
export interface RecordedChain {
  chainName: string
  /** The only state root that can be read. */
  stateRootHash: string
  /** With `hash-`. */
  feedRegistryPackageHash: string
  /** With `hash-`. */
  attestationRegistryPackageHash: string
}

/**
 * Finds out which chain, state root and registries were recorded. Throws where one of them is missing.
 *
 * @example
 * ```ts
 * const { chainName, stateRootHash } = describeRecording(readRecordedChain())
 * ```
 */
export function describeRecording(exchanges: readonly Exchange[]): RecordedChain {
  return {
    chainName: resultText(exchanges, 'info_get_status', 'chainspec_name'),
    stateRootHash: resultText(exchanges, 'chain_get_state_root_hash', 'state_root_hash'),
    feedRegistryPackageHash: packageKey(exchanges, 'FeedRegistry package'),
    attestationRegistryPackageHash: packageKey(exchanges, 'AttestationRegistry package'),
  }
}

function resultText(exchanges: readonly Exchange[], method: string, name: string): string {
  const exchange = exchanges.find((each) => each.method === method && 'result' in each)
  return textOrThrow(member(member(exchange, 'result'), name), `${name} of ${method}`)
}

function packageKey(exchanges: readonly Exchange[], note: string): string {
  const exchange = exchanges.find((each) => each.note === note)
  return textOrThrow(member(exchange?.params, 'key'), note)
}

function textOrThrow(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new Error(`the recording holds no ${what}`)
}
