import { type ContractPackage, hashKey } from '@wattfeed/casper/types'
import type { Runtime } from '../callContext.ts'
import { assertRights } from '../contextAccessRights.ts'
import { ExecutionError, keyNotFoundError } from '../executionError.ts'
import { writeStored } from './writeStored.ts'

/**
 * Reads a contract package that the code has the right to change.
 *
 * @throws {ExecutionError} when it does not exist or the code does not have its access URef
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
  assertRights(accessRights, stored.contractPackage.accessKey)
  return stored.contractPackage
}

export function writePackage(
  runtime: Runtime,
  packageHash: Uint8Array,
  contractPackage: ContractPackage,
): void {
  writeStored(runtime, hashKey(packageHash), { kind: 'ContractPackage', contractPackage })
}
