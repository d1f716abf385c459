import { createCursor, DecodeError, type DecodeErrorKind } from '@wattfeed/base'
import { clU512, readU512, readUref } from '@wattfeed/casper/types'
import { apiErrors } from '../apiErrors.ts'
import type { Runtime } from '../callContext.ts'
import { readOptionalU64 } from '../system/systemArguments.ts'
import { provideValue } from './hostBuffer.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readHashInput, readInput, readUrefInput } from './input.ts'
import { availableMotes, createOwnPurse, transferByMint, transferToAccount } from './mintCalls.ts'

const UREF_BYTES = 33

/** Functions for purses and the motes in them, which the mint holds. */
export const purseFunctions: HostFunctions = {
  create_purse: {
    parameters: 2,
    hasResult: true,
    cost: costOf('create_purse'),
    run(runtime, pointer, size) {
      if (size < UREF_BYTES) return apiErrors.PurseNotCreated
      runtime.memory.write(pointer, createOwnPurse(runtime))
      return 0
    },
  },
  get_main_purse: {
    parameters: 1,
    hasResult: false,
    cost: costOf('get_main_purse'),
    run({ memory, execution }, pointer) {
      memory.write(pointer, execution.account.mainPurse)
      return undefined
    },
  },
  get_balance: {
    parameters: 3,
    hasResult: true,
    cost: costOf('get_balance'),
    run(runtime, pointer, size, sizePointer) {
      if (runtime.hostBuffer !== null) return apiErrors.HostBufferFull
      const purse = decodeUref(runtime.memory.read(pointer, size))
      if (typeof purse === 'number') return purse
      return provideValue(runtime, clU512(availableMotes(runtime, purse)), sizePointer)
    },
  },
  transfer_to_account: {
    parameters: 7,
    hasResult: true,
    cost: costOf('transfer_to_account'),
    run(runtime, ...args) {
      const { mainPurse } = runtime.execution.account
      return transferFrom(runtime, mainPurse, args)
    },
  },
  transfer_from_purse_to_account: {
    parameters: 9,
    hasResult: true,
    cost: costOf('transfer_from_purse_to_account'),
    run: (runtime, sourcePointer, sourceSize, ...args) =>
      transferFrom(runtime, readUrefInput(runtime, sourcePointer, sourceSize), args),
  },
  transfer_from_purse_to_purse: {
    parameters: 8,
    hasResult: true,
    cost: costOf('transfer_from_purse_to_purse'),
    run(runtime, sourcePointer, sourceSize, targetPointer, targetSize, ...rest) {
      const source = readUrefInput(runtime, sourcePointer, sourceSize)
      const target = readUrefInput(runtime, targetPointer, targetSize)
      const { motes, id } = readAmount(runtime, rest)
      return transferByMint(runtime, { to: null, source, target, motes, id }, { needsGas: true })
    },
  },
  get_system_contract: {
    parameters: 3,
    hasResult: true,
    cost: costOf('get_system_contract'),
    run({ memory, execution }, index, pointer) {
      const name = systemContracts[index]
      if (name === undefined) return apiErrors.InvalidSystemContract
      memory.write(pointer, execution.system.hashOf(name))
      return 0
    },
  },
}

/** The system contracts by their numbers in a node. No network since protocol 2 has a contract for standard payments. */
const systemContracts = ['mint', 'handle payment', 'standard payment', 'auction'] as const

/** Transfers to an account, and writes whether the account is new. */
function transferFrom(
  runtime: Runtime,
  source: Uint8Array,
  [hashPointer = 0, hashSize = 0, ...rest]: readonly number[],
): number {
  const to = readHashInput(runtime, hashPointer, hashSize)
  const [receiverPointer = 0] = rest.slice(4)
  const { status, receiver } = transferToAccount(runtime, { to, source, ...readAmount(runtime, rest) })
  if (status === 0) runtime.memory.writeU32(receiverPointer, receiver)
  return status
}

function readAmount(
  runtime: Runtime,
  [motesPointer = 0, motesSize = 0, idPointer = 0, idSize = 0]: readonly number[],
): { motes: bigint; id: bigint | null } {
  const motes = readInput(runtime, motesPointer, motesSize, readU512)
  return { motes, id: readInput(runtime, idPointer, idSize, readOptionalU64) }
}

/** The `ApiError` for bytes that are no URef, which does not end the transaction here. */
const statuses: Readonly<Record<DecodeErrorKind, number>> = {
  early_end_of_stream: apiErrors.EarlyEndOfStream,
  formatting: apiErrors.Formatting,
  left_over_bytes: apiErrors.LeftOverBytes,
  exceeded_recursion_depth: apiErrors.ExceededRecursionDepth,
}

/** Returns a URef, or an `ApiError`. */
function decodeUref(bytes: Uint8Array): Uint8Array | number {
  try {
    const cursor = createCursor(bytes, 'URef')
    const uref = readUref(cursor)
    cursor.end()
    return uref
  } catch (error) {
    if (error instanceof DecodeError) return statuses[error.kind]
    throw error
  }
}
