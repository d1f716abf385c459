import attestationRegistry from '../../contracts/wasm/AttestationRegistry.wasm' with { type: 'file' }
import eligibilityGate from '../../contracts/wasm/EligibilityGate.wasm' with { type: 'file' }
import feedRegistry from '../../contracts/wasm/FeedRegistry.wasm' with { type: 'file' }
import type { ContractName } from './installation.ts'

/** Paths of the built contracts, which the compiled binary embeds. */
export const wasmFiles: Readonly<Record<ContractName, string>> = {
  FeedRegistry: feedRegistry,
  AttestationRegistry: attestationRegistry,
  EligibilityGate: eligibilityGate,
}
