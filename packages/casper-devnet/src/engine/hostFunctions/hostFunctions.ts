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
import type { HostFunction } from './hostFunction.ts'
import { messageFunctions } from './messages.ts'
import { namedKeyFunctions } from './namedKeys.ts'
import { packageFunctions } from './packages.ts'
import { purseFunctions } from './purses.ts'
import { storageFunctions } from './storage.ts'

/** The function that nodes do not have. */
export const PRINT = 'casper_print'

/** All functions that a module can import, by name: those of a node, and {@link PRINT}. */
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
  ].flatMap((group) => Object.entries(group).map(([name, each]) => [`casper_${name}`, each])),
)
