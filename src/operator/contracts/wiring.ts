import { type WiredContract, wiredContracts, wiringCalls } from 'wattfeed/internal'
import { PreflightError } from '../preflight.ts'
import { type ContractState, stateSeedOf } from './contractState.ts'
import type { DeploymentState } from './deploymentState.ts'

/** Lists the contracts that lack the right address of another one. */
export function missingWires(state: DeploymentState): WiredContract[] {
  return wiredContracts.filter((name) => !isWired(name, state))
}

/**
 * Asserts that a wiring call would succeed. A contract that is not installed yet counts as the version to install.
 *
 * @throws {PreflightError} if the account does not own the contract, or one of the two lacks an entry point.
 */
export function assertWirable(name: WiredContract, state: DeploymentState, account: string): void {
  const installed = state[name]
  const owner = name === 'FeedRegistry' ? state.FeedRegistry?.owner : state.AttestationRegistry?.attester
  const { entryPoint } = wiringCalls[name]
  if (installed !== null && owner !== account)
    throw new PreflightError({
      reason: 'not_owner',
      message: `${name} belongs to ${owner}, not to the key's account ${account}; use the owner's key`,
    })
  if (installed !== null && !installed.contract.entryPoints.has(entryPoint))
    throw new PreflightError({
      reason: 'old_version',
      message: `${name} has no ${entryPoint}; upgrade it first`,
    })
  if (name === 'AttestationRegistry' && readsSeed(state)) assertOffersSeed(state)
}

export function assertOffersSeed({ FeedRegistry: feeds }: DeploymentState): void {
  if (feeds === null || feeds.contract.entryPoints.has('state_seed')) return
  throw new PreflightError({
    reason: 'old_version',
    message:
      'the newest version of FeedRegistry has no state_seed, which AttestationRegistry reads; upgrade FeedRegistry first',
  })
}

function isWired(name: WiredContract, state: DeploymentState): boolean {
  const known =
    name === 'FeedRegistry' ? state.FeedRegistry?.eligibilityGate : state.AttestationRegistry?.feedRegistry
  const wanted = state[wiringCalls[name].of]
  if (!known || known !== addressOf(wanted)) return false
  return name === 'FeedRegistry' || isSeedRight(state)
}

/** Versions with `attest_many` store the FeedRegistry's seed. */
const readsSeed = ({ AttestationRegistry: attestations }: DeploymentState): boolean =>
  attestations === null || attestations.contract.entryPoints.has('attest_many')

function isSeedRight(state: DeploymentState): boolean {
  if (!readsSeed(state)) return true
  const { FeedRegistry: feeds, AttestationRegistry: attestations } = state
  return feeds !== null && attestations?.feedRegistrySeed === stateSeedOf(feeds)
}

const addressOf = (contract: ContractState | null): string | null =>
  contract && `hash-${contract.contractPackage.packageHash}`
