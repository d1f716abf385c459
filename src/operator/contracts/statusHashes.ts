import { casperTest } from '../../client/networks.ts'
import { type ContractsSettings, packageHashSetting } from '../contractsSettings.ts'
import { type Deployment, readDeployment } from './deploymentFile.ts'
import type { PackageHashes } from './deploymentState.ts'
import { deploymentPath } from './openOperation.ts'
import { deployedHashes } from './operation.ts'
import { PreflightError } from './preflightError.ts'

/**
 * The contracts to look at: those of the settings, else of the deployment file, else of the public test network.
 *
 * Throws a `PreflightError` where none is known.
 */
export async function statusHashes(settings: ContractsSettings, file?: string): Promise<PackageHashes> {
  const deployment = await readDeployment(deploymentPath(settings, file))
  const known = knownHashes(settings, deployment)
  const { packageHashes: given } = settings
  const hashes = {
    FeedRegistry: given.FeedRegistry ?? known.FeedRegistry,
    AttestationRegistry: given.AttestationRegistry ?? known.AttestationRegistry,
    EligibilityGate: given.EligibilityGate ?? known.EligibilityGate,
  }
  if (Object.values(hashes).some((each) => each !== null)) return hashes
  throw new PreflightError(
    'not_installed',
    `no contract on ${settings.chainName} is known: set ${Object.values(packageHashSetting).join(', ')} or name a deployment file with --file`,
  )
}

function knownHashes({ chainName }: ContractsSettings, deployment: Deployment | null): PackageHashes {
  if (deployment?.chain_name === chainName) return deployedHashes(deployment)
  if (chainName !== casperTest.chainName)
    return { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null }
  return {
    FeedRegistry: casperTest.feedRegistryPackageHash,
    AttestationRegistry: casperTest.attestationRegistryPackageHash,
    EligibilityGate: null,
  }
}
