import type { ContractName } from 'wattfeed/internal'
import attestationRegistry from '../../contracts/wasm/AttestationRegistry.wasm' with { type: 'file' }
import committee from '../../contracts/wasm/Committee.wasm' with { type: 'file' }
import eligibilityGate from '../../contracts/wasm/EligibilityGate.wasm' with { type: 'file' }
import feedRegistry from '../../contracts/wasm/FeedRegistry.wasm' with { type: 'file' }

/** Code that comes with wattfeed: the contracts, and the session that changes an account's keys. */
export type WasmName = ContractName | 'Committee'

/** Paths of the built code, which the compiled binary embeds. */
export const wasmFiles: Readonly<Record<WasmName, string>> = {
  FeedRegistry: feedRegistry,
  AttestationRegistry: attestationRegistry,
  EligibilityGate: eligibilityGate,
  Committee: committee,
}
