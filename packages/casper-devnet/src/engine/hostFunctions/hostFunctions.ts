import { ExecutionError } from '../executionError.ts'
import { argumentFunctions } from './arguments.ts'
import { associatedKeyFunctions } from './associatedKeys.ts'
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
import { printFunctions } from './print.ts'
import { storageFunctions } from './storage.ts'

/** Parameter counts of the node's functions that this chain does not implement. */
const parameterCounts = {
  add: 4,
  add_contract_version: 10,
  add_package_version_with_message_topics: 11,
  blake2b: 4,
  call_package_version: 11,
  create_purse: 2,
  enable_contract_version: 4,
  get_balance: 3,
  get_block_info: 2,
  get_caller: 1,
  get_main_purse: 1,
  get_phase: 1,
  get_system_contract: 3,
  is_valid_uref: 2,
  load_authorization_keys: 2,
  load_call_stack: 2,
  load_named_keys: 2,
  manage_message_topic: 4,
  recover_secp256k1: 6,
  remove_contract_user_group: 4,
  transfer_from_purse_to_account: 9,
  transfer_from_purse_to_purse: 8,
  transfer_to_account: 7,
  verify_signature: 6,
} as const

const withoutResult: ReadonlySet<string> = new Set(['add', 'get_block_info', 'get_main_purse', 'get_phase'])

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
    hasResult: !withoutResult.has(name),
    cost: () => 0,
    run() {
      throw new ExecutionError(`casper_${name} is not supported by this development chain`)
    },
  }
}

/** All functions that a module can import, by name. */
export const hostFunctions: ReadonlyMap<string, HostFunction> = new Map(
  [
    argumentFunctions,
    associatedKeyFunctions,
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
    printFunctions,
    storageFunctions,
    unsupportedFunctions,
  ].flatMap((group) => Object.entries(group).map(([name, each]) => [`casper_${name}`, each])),
)
