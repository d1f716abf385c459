import { argumentFunctions } from './arguments.ts'
import { callFunctions } from './calls.ts'
import { chainFunctions } from './chain.ts'
import { controlFunctions } from './control.ts'
import { cryptoFunctions } from './crypto.ts'
import { dictionaryFunctions } from './dictionaries.ts'
import { groupFunctions } from './groups.ts'
import { hostBufferFunctions } from './hostBuffer.ts'
import type { HostFunction } from './hostFunction.ts'
import { messageFunctions } from './messages.ts'
import { namedKeyFunctions } from './namedKeys.ts'
import { packageFunctions } from './packages.ts'
import { storageFunctions } from './storage.ts'
import { unsupportedFunctions } from './unsupported.ts'

/** Every function that a module may import, by the name that it has there. */
export const hostFunctions: ReadonlyMap<string, HostFunction> = new Map(
  [
    argumentFunctions,
    callFunctions,
    chainFunctions,
    controlFunctions,
    cryptoFunctions,
    dictionaryFunctions,
    groupFunctions,
    hostBufferFunctions,
    messageFunctions,
    namedKeyFunctions,
    packageFunctions,
    storageFunctions,
    unsupportedFunctions,
  ].flatMap((group) => Object.entries(group).map(([name, each]) => [`casper_${name}`, each])),
)
