import { getStateRootHash, type Rpc } from '@wattfeed/casper'
import { type ContractName, contractNames, packageKeyName } from 'wattfeed/internal'
import { type Account, PreflightError } from '../preflight.ts'
import { packageHashSetting } from '../settings.ts'
import { readContractState } from './contractState.ts'
import type { DeployedContract, Deployment } from './deploymentFile.ts'
import type { Operation } from './operation.ts'

/** Returns the package, 64 hex digits, that an account with these named keys has installed; undefined if none. */
export const installedHash = (namedKeys: Account['namedKeys'], name: ContractName): string | undefined =>
  namedKeys.get(packageKeyName(name))?.replace(/^hash-/, '')

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

/**
 * Finds the contracts to work on: in the deployment file, else the settings, else the account's named keys.
 *
 * @throws {PreflightError} if file and settings disagree, or a contract of `needed` is not found.
 */
export async function resolvePackages(
  operation: Operation,
  account: Account,
  needed: readonly ContractName[],
): Promise<Deployment['contracts']> {
  const contracts = { ...operation.deployment.contracts }
  for (const name of contractNames) {
    const given = operation.packageHashes[name]
    const known = contracts[name]?.package_hash
    if (given !== null && known !== undefined && given !== known) throw disagreement(operation, name)
    const packageHash = known ?? given ?? installedHash(account.namedKeys, name)
    if (packageHash !== undefined)
      contracts[name] ??= await readDeployedContract(operation.rpc, name, packageHash, null)
    else if (needed.includes(name)) throw notInstalled(name)
  }
  return contracts
}

const disagreement = ({ path }: Operation, name: ContractName): PreflightError =>
  new PreflightError({
    reason: 'deployment_file',
    message: `${packageHashSetting[name]} and ${path} name different packages; unset the setting, or name another file with --file`,
  })

const notInstalled = (name: ContractName): PreflightError =>
  new PreflightError({
    reason: 'not_installed',
    message: `no ${name} found in the deployment file, ${packageHashSetting[name]} or the account's named keys; run install, or set ${packageHashSetting[name]}`,
  })
