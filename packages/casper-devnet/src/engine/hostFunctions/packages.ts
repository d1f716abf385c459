import {
  type ContractPackage,
  type ContractVersion,
  compareVersions,
  isEnabled,
  readNamedKeys,
} from '@wattfeed/casper/types'
import type { HostFunctionName } from '../../chainspec.ts'
import { type AddedContractVersion, addContractVersion } from '../addContractVersion.ts'
import { apiErrors, headerErrors } from '../apiErrors.ts'
import type { Runtime } from '../callContext.ts'
import { lockedPackageError } from '../executionError.ts'
import { costOf, type HostFunction, type HostFunctions } from './hostFunction.ts'
import { readEntryPoints, readHashInput, readInput, readOlderEntryPoints, readTopics } from './input.ts'
import { readOwnPackage, writePackage } from './ownPackage.ts'
import { createUrefWith } from './writeStored.ts'

const HASH_BYTES = 32
const utf8 = new TextEncoder()

export const packageFunctions: HostFunctions = {
  create_contract_package_at_hash: {
    parameters: 3,
    hasResult: false,
    cost: costOf('create_contract_package_at_hash'),
    run(runtime, hashPointer, accessPointer, isLocked) {
      const packageHash = runtime.execution.addresses.nextHash()
      const accessKey = createUrefWith(runtime)
      writePackage(runtime, packageHash, {
        accessKey,
        versions: [],
        disabledVersions: [],
        groups: new Map(),
        isLocked: isLocked !== 0,
      })
      runtime.memory.write(hashPointer, packageHash)
      runtime.memory.write(accessPointer, accessKey.subarray(0, HASH_BYTES))
      return undefined
    },
  },
  add_contract_version: {
    parameters: 10,
    hasResult: true,
    cost: costOf('add_contract_version'),
    run(runtime, packagePointer, packageSize, versionPointer, entryPointer, entrySize, ...rest) {
      const [keysPointer = 0, keysSize = 0, outPointer = 0] = rest
      const packageHash = readHashInput(runtime, packagePointer, packageSize)
      const entryPoints = readInput(runtime, entryPointer, entrySize, readOlderEntryPoints)
      const namedKeys = readInput(runtime, keysPointer, keysSize, readNamedKeys)
      const version = { packageHash, entryPoints, namedKeys, topics: [] }
      return provideVersion(runtime, addContractVersion(runtime, version), { versionPointer, outPointer })
    },
  },
  add_contract_version_with_message_topics: addingWithTopics('add_contract_version_with_message_topics'),
  add_package_version_with_message_topics: addingWithTopics('add_package_version_with_message_topics'),
  enable_contract_version: {
    parameters: 4,
    hasResult: true,
    cost: costOf('enable_contract_version'),
    run: (runtime, ...args) => changeVersion(runtime, args, withVersion),
  },
  disable_contract_version: {
    parameters: 4,
    hasResult: true,
    cost: costOf('disable_contract_version'),
    run: (runtime, ...args) => changeVersion(runtime, args, withoutVersion),
  },
}

/** Two functions of a node have the same parameters, and do the same where there are no addressable entities. */
function addingWithTopics(name: HostFunctionName): HostFunction {
  return {
    parameters: 11,
    hasResult: true,
    cost: costOf(name),
    run(runtime, packagePointer, packageSize, versionPointer, entryPointer, entrySize, ...rest) {
      const [keysPointer = 0, keysSize = 0, topicsPointer = 0, topicsSize = 0, ...out] = rest
      const [outPointer = 0, outSize = 0] = out
      if (outSize < HASH_BYTES) return apiErrors.BufferTooSmall
      const packageHash = readHashInput(runtime, packagePointer, packageSize)
      const entryPoints = readInput(runtime, entryPointer, entrySize, readEntryPoints)
      const namedKeys = readInput(runtime, keysPointer, keysSize, readNamedKeys)
      const topics = readInput(runtime, topicsPointer, topicsSize, readTopics)
      const { max_topic_name_size } = runtime.execution.chainspec.wasm.messages_limits
      if (topics.some((topic) => utf8.encode(topic).length > max_topic_name_size))
        return apiErrors.MaxTopicNameSizeExceeded
      const version = { packageHash, entryPoints, namedKeys, topics }
      return provideVersion(runtime, addContractVersion(runtime, version), { versionPointer, outPointer })
    },
  }
}

function provideVersion(
  { memory }: Runtime,
  added: AddedContractVersion | number,
  { versionPointer, outPointer }: { versionPointer: number; outPointer: number },
): number {
  if (typeof added === 'number') return added
  memory.write(outPointer, added.contractHash)
  memory.writeU32(versionPointer, added.contractVersion)
  return 0
}

/** Enables or disables a version of a package, both given by their hashes. */
function changeVersion(
  runtime: Runtime,
  [packagePointer = 0, packageSize = 0, contractPointer = 0, contractSize = 0]: readonly number[],
  change: (contractPackage: ContractPackage, version: ContractVersion) => ContractPackage,
): number {
  const packageHash = readHashInput(runtime, packagePointer, packageSize)
  const contractHash = readHashInput(runtime, contractPointer, contractSize).toHex()
  const contractPackage = readOwnPackage(runtime, packageHash)
  if (contractPackage.isLocked) throw lockedPackageError()
  const version = contractPackage.versions.find((each) => each.contractHash.toHex() === contractHash)
  if (version === undefined) return headerErrors.ContractNotFound
  writePackage(runtime, packageHash, change(contractPackage, version))
  return 0
}

function withVersion(contractPackage: ContractPackage, version: ContractVersion): ContractPackage {
  const disabledVersions = contractPackage.disabledVersions.filter(
    (each) => compareVersions(each, version) !== 0,
  )
  return { ...contractPackage, disabledVersions }
}

function withoutVersion(contractPackage: ContractPackage, version: ContractVersion): ContractPackage {
  if (!isEnabled(contractPackage, version)) return contractPackage
  const { protocolVersionMajor, contractVersion } = version
  const disabledVersions = [
    ...contractPackage.disabledVersions,
    { protocolVersionMajor, contractVersion },
  ].sort(compareVersions)
  return { ...contractPackage, disabledVersions }
}
