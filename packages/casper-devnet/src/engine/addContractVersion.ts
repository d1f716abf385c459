import {
  type ContractPackage,
  compareText,
  compareVersions,
  type EntryPoint,
  hashKey,
  type NamedKeys,
  newestVersion,
  sortedEntries,
} from '@wattfeed/casper/types'
import { apiErrors } from './apiErrors.ts'
import type { Execution, Runtime } from './callContext.ts'
import { assertKeyRights } from './contextAccessRights.ts'
import { ExecutionError, lockedPackageError } from './executionError.ts'
import { readOwnPackage, writePackage } from './hostFunctions/ownPackage.ts'
import { writeStored } from './hostFunctions/writeStored.ts'
import { listTopics, writeTopic } from './messageTopics.ts'
import { decodeStored } from './wasm/decodeStored.ts'
import type { InstrumentedModule } from './wasm/instrumentedModule.ts'
import { prune } from './wasm/prune.ts'

export interface NewContractVersion {
  readonly packageHash: Uint8Array
  readonly entryPoints: ReadonlyMap<string, EntryPoint>
  readonly namedKeys: NamedKeys
  /** Names of new topics, in addition to those of the previous version. */
  readonly topics: readonly string[]
}

export interface AddedContractVersion {
  readonly contractHash: Uint8Array
  readonly contractVersion: number
}

/**
 * Adds the running code's entry points as the newest version of a package. It inherits the named keys and topics of the
 * previous version.
 *
 * @returns the new version, or an `ApiError` to return to the calling contract
 * @throws {ExecutionError} when the failure ends the transaction
 */
export function addContractVersion(
  runtime: Runtime,
  { packageHash, entryPoints, namedKeys, topics }: NewContractVersion,
): AddedContractVersion | number {
  const { execution, accessRights } = runtime
  if (!execution.mayAddVersions) return apiErrors.NotAllowedToAddContractVersion
  const contractPackage = readOwnPackage(runtime, packageHash)
  const previous = newestVersion(contractPackage)
  if (contractPackage.isLocked && previous !== null) throw lockedPackageError()
  for (const [, key] of sortedEntries(namedKeys)) assertKeyRights(accessRights, key)
  const wasmHash = execution.addresses.nextHash()
  const wasm = extractWasm(runtime, entryPoints)
  execution.modules.adopt(wasmHash, wasm, runtime.code)
  const contractHash = execution.addresses.nextHash()
  const inherited = previous === null ? [] : readNamedKeysOf(runtime, previous.contractHash)
  const refusal = writeTopics(runtime, previous?.contractHash ?? null, contractHash, topics)
  if (refusal !== 0) return refusal
  const contract = {
    packageHash,
    wasmHash,
    namedKeys: new Map([...namedKeys, ...inherited]),
    entryPoints,
    protocolVersion: execution.chainspec.protocol.version,
  }
  const version = nextVersion(execution, contractPackage, contractHash)
  const versions = [...contractPackage.versions, version].sort(compareVersions)
  writeStored(runtime, hashKey(wasmHash), { kind: 'ContractWasm', wasm })
  writeStored(runtime, hashKey(contractHash), { kind: 'Contract', contract })
  writePackage(runtime, packageHash, { ...contractPackage, versions })
  return version
}

/** The last result of reducing each module. Reducing takes a third of an installation, and tests install contracts often. */
const extracted = new WeakMap<InstrumentedModule, { entryPoints: string; wasm: Uint8Array }>()

/** Reduces the running code to the functions that the entry points need. */
function extractWasm({ code, execution }: Runtime, entryPoints: ReadonlyMap<string, EntryPoint>): Uint8Array {
  const { source } = code
  const module = source instanceof Uint8Array ? decodeStored(source, execution.chainspec) : source
  const exported = new Set(module.exports.map(({ field }) => field))
  const missing = sortedEntries(entryPoints).find(([name]) => !exported.has(name))
  if (missing !== undefined) throw new ExecutionError(`Function not found: ${missing[0]}`)
  const names = JSON.stringify([...entryPoints.keys()].sort())
  const known = extracted.get(module)
  if (known?.entryPoints === names) return known.wasm
  const wasm = prune(module, new Set(entryPoints.keys()))
  extracted.set(module, { entryPoints: names, wasm })
  return wasm
}

function nextVersion({ chainspec }: Execution, { versions }: ContractPackage, contractHash: Uint8Array) {
  const [protocolVersionMajor] = chainspec.protocol.version
  const numbers = versions
    .filter((version) => version.protocolVersionMajor === protocolVersionMajor)
    .map(({ contractVersion }) => contractVersion)
  return { protocolVersionMajor, contractVersion: Math.max(0, ...numbers) + 1, contractHash }
}

function readNamedKeysOf({ execution }: Runtime, contractHash: Uint8Array): NamedKeys {
  const stored = execution.state.read(hashKey(contractHash))
  if (stored?.kind === 'Contract') return stored.contract.namedKeys
  throw new ExecutionError(`Tracking copy error: Type mismatch. Expected Contract but found ${stored?.kind}.`)
}

/** Registers the inherited and new topics of a version. Returns 0 or an `ApiError`. */
function writeTopics(
  runtime: Runtime,
  previousHash: Uint8Array | null,
  contractHash: Uint8Array,
  added: readonly string[],
): number {
  const { execution } = runtime
  const previous = previousHash === null ? [] : listTopics(runtime, previousHash)
  if (previous.length + added.length > execution.chainspec.wasm.messages_limits.max_topics_per_contract)
    return apiErrors.MaxTopicsNumberExceeded
  if (added.some((topic) => previous.includes(topic))) return apiErrors.MessageTopicAlreadyRegistered
  for (const topicName of [...previous, ...added].sort(compareText))
    writeTopic(runtime, contractHash, topicName)
  return 0
}
