import { type ContractPackage, compareVersions, isEnabled, readNamedKeys } from '@wattfeed/casper/types'
import { addContractVersion } from '../addContractVersion.ts'
import { apiErrors, headerErrors } from '../apiErrors.ts'
import { lockedPackageError } from '../executionError.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readEntryPoints, readHashInput, readInput, readTopics } from './input.ts'
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
  add_contract_version_with_message_topics: {
    parameters: 11,
    hasResult: true,
    cost: costOf('add_contract_version_with_message_topics'),
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
      const added = addContractVersion(runtime, { packageHash, entryPoints, namedKeys, topics })
      if (typeof added === 'number') return added
      runtime.memory.write(outPointer, added.contractHash)
      runtime.memory.writeU32(versionPointer, added.contractVersion)
      return 0
    },
  },
  disable_contract_version: {
    parameters: 4,
    hasResult: true,
    cost: costOf('disable_contract_version'),
    run(runtime, packagePointer, packageSize, contractPointer, contractSize) {
      const packageHash = readHashInput(runtime, packagePointer, packageSize)
      const contractHash = readHashInput(runtime, contractPointer, contractSize)
      const contractPackage = readOwnPackage(runtime, packageHash)
      if (contractPackage.isLocked) throw lockedPackageError()
      const disabled = withoutVersion(contractPackage, contractHash)
      if (disabled === null) return headerErrors.ContractNotFound
      writePackage(runtime, packageHash, disabled)
      return 0
    },
  },
}

/** Disables a version of a package. Returns null if the version does not exist. */
function withoutVersion(contractPackage: ContractPackage, contractHash: Uint8Array): ContractPackage | null {
  const hex = contractHash.toHex()
  const version = contractPackage.versions.find((each) => each.contractHash.toHex() === hex)
  if (version === undefined) return null
  if (!isEnabled(contractPackage, version)) return contractPackage
  const { protocolVersionMajor, contractVersion } = version
  const disabledVersions = [
    ...contractPackage.disabledVersions,
    { protocolVersionMajor, contractVersion },
  ].sort(compareVersions)
  return { ...contractPackage, disabledVersions }
}
