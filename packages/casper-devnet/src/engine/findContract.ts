import {
  type Contract,
  type ContractPackage,
  type ContractVersion,
  hashKey,
  isEnabled,
  newestVersion,
} from '@wattfeed/casper/types'
import type { CallContext } from './callContext.ts'
import { ExecutionError, keyNotFoundError } from './executionError.ts'
import type { CalledVersion, ContractIdentifier } from './executionTarget.ts'

export interface FoundContract {
  readonly contractHash: Uint8Array
  readonly contract: Contract
  readonly contractPackage: ContractPackage
}

/**
 * Reads a contract and its package, in the order of a node.
 *
 * @throws {ExecutionError} when it does not exist or is disabled
 */
export function findContract(context: CallContext, identifier: ContractIdentifier): FoundContract {
  if ('packageHash' in identifier) {
    const contractPackage = readPackage(context, identifier.packageHash)
    const { contractHash } = chooseVersion(context, contractPackage, identifier)
    return { contractHash, contract: readContract(context, contractHash), contractPackage }
  }
  const { contractHash } = identifier
  const contract = readContract(context, contractHash)
  const contractPackage = readPackage(context, contract.packageHash)
  if (!isCallable(contractPackage, contractHash)) throw new ExecutionError('Contract is disabled')
  return { contractHash, contract, contractPackage }
}

function readPackage({ execution }: CallContext, packageHash: Uint8Array): ContractPackage {
  const stored = execution.state.read(hashKey(packageHash))
  if (stored?.kind === 'ContractPackage') return stored.contractPackage
  throw new ExecutionError('Tracking copy error: Value not found')
}

function readContract({ execution }: CallContext, contractHash: Uint8Array): Contract {
  const key = hashKey(contractHash)
  const stored = execution.state.read(key)
  if (stored?.kind === 'Contract') return stored.contract
  throw keyNotFoundError(key)
}

/** Returns the newest version, or the version with this number, of a protocol or of the latest that has it. */
function chooseVersion(
  { execution }: CallContext,
  contractPackage: ContractPackage,
  { version, protocolVersionMajor }: CalledVersion,
): ContractVersion {
  if (protocolVersionMajor !== undefined)
    return chooseOfProtocol(contractPackage, protocolVersionMajor, version)
  if (version === null) {
    const newest = newestVersion(contractPackage)
    if (newest === null) throw new ExecutionError('No active contract versions for contract package')
    return newest
  }
  const [latest] = execution.chainspec.protocol.version
  const matching = contractPackage.versions.filter(
    (each) =>
      each.contractVersion === version &&
      each.protocolVersionMajor <= latest &&
      isEnabled(contractPackage, each),
  )
  const chosen = matching.at(-1)
  if (chosen === undefined) throw new ExecutionError('No matching entity version key')
  return chosen
}

function chooseOfProtocol(
  contractPackage: ContractPackage,
  protocolVersionMajor: number,
  version: number | null,
): ContractVersion {
  const ofProtocol = contractPackage.versions.filter(
    (each) => each.protocolVersionMajor === protocolVersionMajor,
  )
  const newest = newestVersion({ ...contractPackage, versions: ofProtocol })?.contractVersion
  const contractVersion = version ?? newest ?? 0
  const chosen = ofProtocol.find((each) => each.contractVersion === contractVersion)
  const name = `${protocolVersionMajor}.${contractVersion}`
  if (chosen === undefined) throw new ExecutionError(`Missing entity version: ${name}`)
  if (!isEnabled(contractPackage, chosen)) throw new ExecutionError(`Disabled entity version: ${name}`)
  return chosen
}

function isCallable(contractPackage: ContractPackage, contractHash: Uint8Array): boolean {
  const hex = contractHash.toHex()
  const version = contractPackage.versions.find((each) => each.contractHash.toHex() === hex)
  return version !== undefined && isEnabled(contractPackage, version)
}
