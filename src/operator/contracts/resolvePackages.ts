import { type ContractName, contractNames, packageKeyName } from '../../registry/installation.ts'
import { packageHashSetting } from '../contractsSettings.ts'
import type { Account } from './account.ts'
import { readDeployedContract } from './deployedContract.ts'
import type { Deployment } from './deploymentFile.ts'
import type { Operation } from './operation.ts'
import { PreflightError } from './preflightError.ts'

/**
 * The contracts to work on: those of the deployment file, else of the settings, else of the account's named keys.
 *
 * Throws a `PreflightError` where file and settings disagree, or a contract of `needed` is nowhere.
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
    const packageHash = known ?? given ?? account.namedKeys.get(packageKeyName(name))?.replace(/^hash-/, '')
    if (packageHash !== undefined)
      contracts[name] ??= await readDeployedContract(operation.rpc, name, packageHash, null)
    else if (needed.includes(name)) throw notInstalled(name)
  }
  return contracts
}

const disagreement = ({ path }: Operation, name: ContractName): PreflightError =>
  new PreflightError(
    'deployment_file',
    `${packageHashSetting[name]} and ${path} name different packages; unset the one or name another file with --file`,
  )

const notInstalled = (name: ContractName): PreflightError =>
  new PreflightError(
    'not_installed',
    `no ${name} is known: neither the deployment file, nor ${packageHashSetting[name]}, nor the account's named keys name one`,
  )
