import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getStateRootHash } from '../../casper/state/globalState.ts'
import type { ContractName } from '../../registry/installation.ts'
import { readContractState } from './contractState.ts'
import type { DeployedContract } from './deploymentFile.ts'

/** A package as the deployment file keeps it. Throws a `PackageNotFoundError`. */
export async function readDeployedContract(
  rpc: Rpc,
  name: ContractName,
  packageHash: string,
  wasmSha256: string | null,
): Promise<DeployedContract> {
  const { hash } = await getStateRootHash(rpc)
  const { contractHash } = await readContractState(rpc, name, packageHash, hash)
  return { package_hash: packageHash, contract_hash: contractHash, wasm_sha256: wasmSha256 }
}
