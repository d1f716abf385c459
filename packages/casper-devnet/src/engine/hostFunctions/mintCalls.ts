import { accessRights, accountKey, createUref } from '@wattfeed/casper/types'
import { mintStatus } from '../apiErrors.ts'
import type { CallContext } from '../callContext.ts'
import { pushFrame } from '../callStack.ts'
import { assertRights, extendRights, revokeRights, withRights } from '../contextAccessRights.ts'
import { emptyAccount } from '../emptyAccount.ts'
import { ExecutionError, keyNotFoundError, outOfGasError } from '../executionError.ts'
import { findContract } from '../findContract.ts'
import { balanceKey } from '../purse.ts'
import type { PurseTransfer } from '../purseTransfer.ts'
import { balanceOf, createPurse, mintErrors, transfer } from '../system/mint.ts'
import { writeStored } from './writeStored.ts'

/** Calls the mint, as far as that is seen in effects and can fail: a node reads its contract and its package. */
function enterMint(caller: CallContext): void {
  pushFrame(caller, findContract(caller, { contractHash: caller.execution.system.hashOf('mint') }))
}

/** Lets the mint create a purse, and gives the code all rights of it. */
export function createOwnPurse(caller: CallContext): Uint8Array {
  enterMint(caller)
  const purse = createPurse(caller)
  extendRights(caller.accessRights, [purse])
  return purse
}

/**
 * Lets the mint transfer motes. Returns 0 or an `ApiError`.
 *
 * @param needsGas whether the code must have the gas of the mint's own cost, which a node then gives back
 * @throws {ExecutionError} when the code lacks a right of a purse
 */
export function transferByMint(caller: CallContext, asked: PurseTransfer, { needsGas = false } = {}): number {
  const { gas, chainspec } = caller.execution
  assertRights(caller.accessRights, asked.source)
  enterMint(caller)
  for (const purse of [asked.source, asked.target]) assertRights(caller.accessRights, purse)
  if (needsGas && !gas.has(chainspec.system_costs.mint_costs.transfer)) throw outOfGasError()
  const error = transfer(caller, asked)
  return error === null ? 0 : mintStatus(error)
}

/** Reads the motes that can be spent. @throws {ExecutionError} when the URef is not a purse */
export function availableMotes(caller: CallContext, purse: Uint8Array): bigint {
  const balance = balanceOf(caller, purse)
  if (balance === null)
    throw new ExecutionError(`Tracking copy error: ${keyNotFoundError(balanceKey(purse)).message}`)
  return balance.available
}

/** Whether a transfer has created the account, with the numbers of the node's `TransferredTo`. */
const transferredTo = { existingAccount: 0, newAccount: 1 } as const

/**
 * Transfers motes to the main purse of an account, which it creates if it does not exist.
 *
 * @returns an `ApiError` or 0, and whether the account is new
 */
export function transferToAccount(
  caller: CallContext,
  asked: Omit<PurseTransfer, 'target'> & { readonly to: Uint8Array },
): { status: number; receiver: number } {
  const stored = caller.execution.state.read(accountKey(asked.to))
  if (stored?.kind !== 'Account')
    return { status: transferToNewAccount(caller, asked), receiver: transferredTo.newAccount }
  const target = withAddRight(stored.account.mainPurse)
  const receiver = transferredTo.existingAccount
  if (Buffer.compare(withAddRight(asked.source), target) === 0) return { status: 0, receiver }
  const status = withRights(caller.accessRights, target, () => transferByMint(caller, { ...asked, target }))
  return { status, receiver }
}

function transferToNewAccount(
  caller: CallContext,
  asked: Omit<PurseTransfer, 'target'> & { readonly to: Uint8Array },
): number {
  if (asked.motes > availableMotes(caller, asked.source)) return mintStatus(mintErrors.InsufficientFunds)
  const mainPurse = createOwnPurse(caller)
  if (Buffer.compare(asked.source, mainPurse) === 0) return mintStatus(mintErrors.EqualSourceAndTarget)
  const status = transferByMint(caller, { ...asked, target: withAddRight(mainPurse) })
  revokeRights(caller.accessRights, mainPurse)
  if (status !== 0) return status
  writeStored(caller, accountKey(asked.to), { kind: 'Account', account: emptyAccount(asked.to, mainPurse) })
  return 0
}

const withAddRight = (purse: Uint8Array): Uint8Array => createUref(purse.subarray(0, 32), accessRights.add)
