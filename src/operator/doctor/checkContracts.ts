import { PackageNotFoundError, type Rpc } from '@wattfeed/casper'
import { ownEntryPoints, type RegistryName } from 'wattfeed/internal'
import type { AgentSettings } from '../../agent/settings/agentSettings.ts'
import { type PackageHashes, readDeploymentState } from '../contracts/deploymentState.ts'
import { missingWires } from '../contracts/wiring.ts'
import { packageHashSetting } from '../settings.ts'
import { type Finding, failed, failedBy, passed } from './finding.ts'

/** Checks that both package hashes name the right contracts of this chain, and that these know each other. */
export async function checkContracts(rpc: Rpc, settings: AgentSettings): Promise<readonly Finding[]> {
  const hashes = {
    FeedRegistry: settings.feedRegistryPackageHash,
    AttestationRegistry: settings.attestationRegistryPackageHash,
  }
  const names = Object.keys(ownEntryPoints).filter((name): name is RegistryName => name in hashes)
  const findings = await Promise.all(names.map((name) => checkContract(rpc, name, hashes[name])))
  if (findings.some(({ state }) => state === 'failed')) return findings
  return [...findings, await checkWiring(rpc, { ...hashes, EligibilityGate: null })]
}

async function checkContract(rpc: Rpc, name: RegistryName, packageHash: string): Promise<Finding> {
  const none = { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null }
  try {
    await readDeploymentState(rpc, { ...none, [name]: packageHash })
    return passed(name, `package ${packageHash}`)
  } catch (error) {
    if (!(error instanceof PackageNotFoundError)) throw error
    return failed(
      name,
      failedBy(name, error).found,
      `set ${packageHashSetting[name]} to the package of the chain in CASPER_CHAIN_NAME; "contracts status" and the deployment file name it`,
    )
  }
}

async function checkWiring(rpc: Rpc, hashes: PackageHashes): Promise<Finding> {
  const check = 'wiring'
  const missing = missingWires(await readDeploymentState(rpc, hashes))
  return missing.includes('AttestationRegistry')
    ? failed(
        check,
        'the AttestationRegistry asks another FeedRegistry who may attest',
        'set both package hashes to contracts of one installation, or run "contracts wire" as the owner',
      )
    : passed(check, 'the AttestationRegistry asks this FeedRegistry who may attest')
}
