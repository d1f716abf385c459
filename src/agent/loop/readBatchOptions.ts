import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getStateRootHash } from '../../casper/state/globalState.ts'
import { createRegistry } from '../../client/registry.ts'
import type { BatchOptions } from '../outbox/batchAttestations.ts'
import type { AgentSettings } from '../settings/agentSettings.ts'

/** What fits into a transaction: reads whether the deployed AttestationRegistry offers `attest_many`. */
export async function readBatchOptions(
  rpc: Rpc,
  { attestationRegistryPackageHash, paymentMotes }: AgentSettings,
  now: () => number,
): Promise<BatchOptions> {
  const registry = createRegistry(rpc, 'AttestationRegistry', attestationRegistryPackageHash, now)
  const { hash } = await getStateRootHash(rpc)
  const { entryPoints } = await registry.at(hash)
  return { offersMany: entryPoints.has('attest_many'), paymentMotes }
}
