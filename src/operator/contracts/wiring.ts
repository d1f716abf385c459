import type { Arguments } from '../../casper/transaction/arguments.ts'
import { clAddress } from '../../casper/transaction/clValue.ts'
import { PreflightError } from './account.ts'
import type { ContractState } from './contractState.ts'
import type { DeploymentState } from './deploymentState.ts'

/** A contract that is told another one's address. */
export type WiredContract = keyof typeof wiringCalls

/** How each is told. */
export const wiringCalls = {
  FeedRegistry: { entryPoint: 'set_eligibility_gate', argument: 'gate', of: 'EligibilityGate' },
  AttestationRegistry: { entryPoint: 'set_feed_registry', argument: 'feed_registry', of: 'FeedRegistry' },
} as const

/** In the order in which they are sent. */
export const wiredContracts = ['FeedRegistry', 'AttestationRegistry'] as const

/** The contracts that do not know the other one's address yet, or know another one. */
export function missingWires(state: DeploymentState): WiredContract[] {
  return wiredContracts.filter((name) => !isWired(name, state))
}

/** The arguments of a wiring call. */
export function wiringArguments(name: WiredContract, packageHash: string): Arguments {
  return { [wiringCalls[name].argument]: clAddress(`hash-${packageHash}`) }
}

/**
 * Throws a `PreflightError` where a wiring call would fail: the account does not own the contract, or one of the two
 * lacks an entry point. A contract that is not installed yet is taken to be what will be installed.
 */
export function assertWirable(name: WiredContract, state: DeploymentState, account: string): void {
  const contract = state[name]
  const owner = name === 'FeedRegistry' ? state.FeedRegistry?.owner : state.AttestationRegistry?.attester
  const { entryPoint } = wiringCalls[name]
  if (contract !== null && owner !== account)
    throw new PreflightError(
      'not_owner',
      `${name} belongs to ${owner}, not to the key's account ${account}; use the owner's key`,
    )
  if (contract !== null && !contract.contract.entryPoints.has(entryPoint))
    throw new PreflightError('old_version', `${name} has no ${entryPoint}; upgrade it first`)
  if (name === 'AttestationRegistry' && asksForSeed(state)) assertOffersSeed(state)
}

/** Throws a `PreflightError` where the FeedRegistry would not tell where its state is. */
export function assertOffersSeed({ FeedRegistry: feeds }: DeploymentState): void {
  if (feeds === null || feeds.contract.entryPoints.has('state_seed')) return
  throw new PreflightError(
    'old_version',
    'the newest version of FeedRegistry has no state_seed, which AttestationRegistry asks for; upgrade FeedRegistry first',
  )
}

function isWired(name: WiredContract, state: DeploymentState): boolean {
  const known =
    name === 'FeedRegistry' ? state.FeedRegistry?.eligibilityGate : state.AttestationRegistry?.feedRegistry
  const wanted = state[wiringCalls[name].of]
  if (!known || known !== addressOf(wanted)) return false
  return name === 'FeedRegistry' || isSeedRight(state)
}

/** Versions that came with `attest_many` keep the FeedRegistry's seed. */
const asksForSeed = ({ AttestationRegistry: attestations }: DeploymentState): boolean =>
  attestations === null || attestations.contract.entryPoints.has('attest_many')

function isSeedRight(state: DeploymentState): boolean {
  if (!asksForSeed(state)) return true
  const uref = state.FeedRegistry?.contract.stateUref ?? ''
  return state.AttestationRegistry?.feedRegistrySeed === /^uref-([0-9a-f]{64})-/.exec(uref)?.[1]
}

const addressOf = (contract: ContractState | null): string | null =>
  contract && `hash-${contract.contractPackage.packageHash}`
