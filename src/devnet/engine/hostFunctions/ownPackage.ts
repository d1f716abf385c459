import type { ContractPackage } from '../../../casper/types/contractPackage.ts'
import { hashKey } from '../../../casper/types/key.ts'
import type { Runtime } from '../callContext.ts'
import { ExecutionError, keyNotFoundError } from '../executionError.ts'
import { writeStored } from './writeStored.ts'

/**
 * A contract package that the code may change.
 *
 * Throws an `ExecutionError` where there is none, and where the code does not hold its access URef.
 */
export function readOwnPackage(
  { execution, accessRights }: Runtime,
  packageHash: Uint8Array,
): ContractPackage {
  const key = hashKey(packageHash)
  const stored = execution.state.read(key)
  if (stored === null) throw keyNotFoundError(key)
  if (stored.kind !== 'ContractPackage')
    throw new ExecutionError(
      `Tracking copy error: Type mismatch. Expected ContractPackage but found ${stored.kind}.`,
    )
  accessRights.validate(stored.contractPackage.accessKey)
  return stored.contractPackage
}

export function writePackage(
  runtime: Runtime,
  packageHash: Uint8Array,
  contractPackage: ContractPackage,
): void {
  writeStored(runtime, hashKey(packageHash), { kind: 'ContractPackage', contractPackage })
}
