import { PackageNotFoundError, type Rpc, readAddress } from '@wattfeed/casper'
import type { Signer } from '@wattfeed/casper/transaction'
import { feedRegistryFields } from 'wattfeed/internal'
import { typedProgram } from '../../../runtime/isFromSource.ts'
import { readContractState } from '../../contracts/contractState.ts'
import { type Gate, openGate } from '../../eligibility/gate.ts'
import { RegistrationError } from './registrationError.ts'

/** An account that registers feeds, and the registry. */
interface Registrant {
  rpc: Rpc
  signer: Pick<Signer, 'accountHash'>
  /** 64 hex digits. */
  feedRegistryPackageHash: string
}

/** Asserts that the account may register new feeds. @throws {RegistrationError} if the contract would reject it */
export async function assertEligible(registrant: Registrant, stateRootHash: string): Promise<void> {
  const { accountHash } = registrant.signer
  const packageHash = await readGatePackageHash(registrant, stateRootHash)
  const gate = await openKnownGate(registrant, packageHash)
  if (await gate.isEligible(accountHash.replace('account-hash-', ''))) return
  const owner = await gate.getOwner()
  const whom = owner === null ? 'the owner of the gate' : `${owner}, who owns the gate,`
  throw new RegistrationError({
    reason: 'not_eligible',
    message: `${accountHash} may not register new feeds: it is not eligible at the gate hash-${packageHash}; ask ${whom} to add your identity, then run "${typedProgram} eligibility prove" and "${typedProgram} eligibility claim"`,
  })
}

async function readGatePackageHash(
  { rpc, feedRegistryPackageHash }: Registrant,
  stateRootHash: string,
): Promise<string> {
  const registry = await readContractState(rpc, 'FeedRegistry', feedRegistryPackageHash, stateRootHash)
  const gate = await registry.read(feedRegistryFields.eligibility_gate, 'eligibility_gate', readAddress)
  if (gate?.startsWith('hash-')) return gate.slice('hash-'.length)
  throw new RegistrationError({
    reason: 'no_gate',
    message: `the FeedRegistry hash-${feedRegistryPackageHash} has no eligibility gate, so nobody may register new feeds; its owner sets one with "contracts wire"`,
  })
}

/** Opens the gate. If it cannot be read, nothing is sent: a rejection would lose the payment. */
async function openKnownGate({ rpc }: Registrant, packageHash: string): Promise<Gate> {
  try {
    return await openGate(rpc, packageHash)
  } catch (error) {
    if (!(error instanceof PackageNotFoundError)) throw error
    throw new RegistrationError({
      reason: 'unknown_gate',
      message: `cannot read whether the account may register new feeds: ${error.message}`,
    })
  }
}
