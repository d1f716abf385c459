import { ExecutionError } from '../executionError.ts'
import { additionFunctions } from './addition.ts'
import { argumentFunctions } from './arguments.ts'
import { associatedKeyFunctions } from './associatedKeys.ts'
import { blockInformationFunctions } from './blockInformation.ts'
import { callInformationFunctions } from './callInformation.ts'
import { callFunctions } from './calls.ts'
import { controlFunctions } from './control.ts'
import { cryptoFunctions } from './crypto.ts'
import { dictionaryFunctions } from './dictionaries.ts'
import { groupFunctions } from './groups.ts'
import { hostBufferFunctions } from './hostBuffer.ts'
import type { HostFunction, HostFunctions } from './hostFunction.ts'
import { messageFunctions } from './messages.ts'
import { namedKeyFunctions } from './namedKeys.ts'
import { packageFunctions } from './packages.ts'
import { purseFunctions } from './purses.ts'
import { storageFunctions } from './storage.ts'

/** Parameter counts of the node's functions that this chain does not implement. */
const parameterCounts = {
  create_purse: 2,
  get_balance: 3,
  get_system_contract: 3,
  transfer_from_purse_to_account: 9,
  transfer_from_purse_to_purse: 8,
  transfer_to_account: 7,
} as const

/**
 * Functions that modules can import but not call: a call ends the transaction. The code of the Odra framework imports some
 * of them without a call. They are for purses and signatures, or the framework does not use them.
 */
const unsupportedFunctions: HostFunctions = Object.fromEntries(
  Object.entries(parameterCounts).map(([name, parameters]) => [name, refusing(name, parameters)]),
)

function refusing(name: string, parameters: number): HostFunction {
  return {
    parameters,
    hasResult: true,
    cost: () => 0,
    run() {
      throw new ExecutionError(`casper_${name} is not supported by this development chain`)
    },
  }
}

/** All functions that a module can import, by name. */
export const hostFunctions: ReadonlyMap<string, HostFunction> = new Map(
  [
    additionFunctions,
    argumentFunctions,
    associatedKeyFunctions,
    blockInformationFunctions,
    callFunctions,
    callInformationFunctions,
    controlFunctions,
    cryptoFunctions,
    dictionaryFunctions,
    groupFunctions,
    hostBufferFunctions,
    messageFunctions,
    namedKeyFunctions,
    packageFunctions,
    purseFunctions,
    storageFunctions,
    unsupportedFunctions,
  ].flatMap((group) => Object.entries(group).map(([name, each]) => [`casper_${name}`, each])),
)
