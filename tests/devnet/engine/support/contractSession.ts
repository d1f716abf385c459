import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '../../../../src/bytes/byteWriter.ts'
import type { NamedArgument } from '../../../../src/casper/types/clValue.ts'
import { type EntryPointType, writeEntryPoint } from '../../../../src/casper/types/contract.ts'
import { keyTags } from '../../../../src/casper/types/key.ts'
import { type NamedKeys, writeNamedKeys } from '../../../../src/casper/types/namedKeys.ts'
import type { ExecutionResult } from '../../../../src/devnet/engine/execute.ts'
import { encodeClValue } from '../../../casper/types/support/encodeClValue.ts'
import type { EngineChain } from './engineChain.ts'
import { encodeHostCalls, type HostCall, OUT, text } from './hostCalls.ts'

/** A version of a contract of one function. */
export interface ContractVersion {
  /** In whose context the function runs. @default 'Called' */
  readonly entryPointType?: EntryPointType
  /** That it starts with. */
  readonly namedKeys?: NamedKeys
  /** That it may say something on. */
  readonly topics?: readonly string[]
}

/** A contract, and what the session that installs it does before and after it calls it. */
export interface ContractSession extends ContractVersion {
  readonly before?: readonly HostCall[]
  /** Whether its package is to be locked, as a number. @default 0 */
  readonly isLocked?: number
  /** What it gives to the function. */
  readonly args?: readonly NamedArgument[]
  /** What the function does. @default nothing */
  readonly contract?: readonly HostCall[]
  readonly after?: readonly HostCall[]
}

/** A URef that is written to {@link UREF} in a module's memory is a key from `KEY` on, 34 bytes long. */
export const KEY = 0
export const UREF = KEY + 1
/** A URef that is written to {@link RETURNED_UREF} is a CLValue from `RETURNED` on, 38 bytes long. */
export const RETURNED = 40
export const RETURNED_UREF = RETURNED + 4
/** Where the session finds the key of the contract, 33 bytes long, and in it its hash. */
export const CONTRACT = 80
export const CONTRACT_HASH = CONTRACT + 1
/** The same of its package. */
export const PACKAGE = 120
export const PACKAGE_HASH = PACKAGE + 1

/** The contract's function. */
export const ENTRY_POINT = 'run'

const somewhere = OUT + 512

const data = new Uint8Array(160)
data[KEY] = keyTags.uref
data.set(encodeClValue({ clType: 'URef', bytes: new Uint8Array(33) }), RETURNED)
data[CONTRACT] = keyTags.hash
data[PACKAGE] = keyTags.hash

/** The session's module. */
function encodeContractSession(session: ContractSession): Uint8Array {
  const { before = [], isLocked = 0, args = [], contract = [], after = [] } = session
  return encodeHostCalls(
    [
      ...before,
      { name: 'create_contract_package_at_hash', args: [PACKAGE_HASH, somewhere, isLocked] },
      addVersion(CONTRACT_HASH, session),
      callContract([CONTRACT_HASH, 32], args),
      ...after,
    ],
    { entryPoints: { [ENTRY_POINT]: contract }, data },
  )
}

/** Runs the session, which may install. */
export function runContractSession(
  chain: EngineChain,
  initiator: Uint8Array,
  session: ContractSession,
): ExecutionResult {
  const wasm = encodeContractSession(session)
  return chain.execute({ initiator, target: { kind: 'session', wasm, isInstallOrUpgrade: true } })
}

/** Adds a version to the session's package, of which the hash is written to a place in its memory. */
export function addVersion(contractHash: number, version: ContractVersion = {}, returns = 0): HostCall {
  const { entryPointType = 'Called', namedKeys = new Map(), topics = [] } = version
  const keys = writeNamedKeys(createByteWriter(), namedKeys).finish()
  const parts = [encodeEntryPoints(entryPointType), keys, encodeTopics(topics)]
  return {
    name: 'add_contract_version_with_message_topics',
    args: [PACKAGE_HASH, 32, somewhere, ...parts, contractHash, 32],
    returns,
  }
}

/** Calls the function of a contract, of which the hash is given or stands at a place in memory. */
export const callContract = (
  contractHash: readonly (number | Uint8Array)[],
  args: readonly NamedArgument[] = [],
): HostCall => ({
  name: 'call_contract',
  args: [...contractHash, text(ENTRY_POINT), encodeArguments(args), somewhere],
})

/** Keeps the key of the contract, or that of its package, under a name of the account's. */
export const keepKey = (name: string, key: typeof CONTRACT | typeof PACKAGE): HostCall => ({
  name: 'put_key',
  args: [text(name), key, 33],
})

const encodeEntryPoints = (entryPointType: EntryPointType): Uint8Array =>
  writeEntryPoint(createByteWriter().u32(1).string(ENTRY_POINT), {
    name: ENTRY_POINT,
    args: [],
    ret: 'Unit',
    access: 'Public',
    entry_point_type: entryPointType,
  })
    .u8(0)
    .finish()

const encodeTopics = (topics: readonly string[]): Uint8Array =>
  concatBytes(
    createByteWriter().u32(topics.length).finish(),
    ...topics.flatMap((topic) => [text(topic), Uint8Array.of(0)]),
  )

/** Arguments of a call, as a contract hands them over. */
export const encodeArguments = (args: readonly NamedArgument[]): Uint8Array =>
  concatBytes(
    createByteWriter().u32(args.length).finish(),
    ...args.flatMap((arg) => [text(arg.name), encodeClValue(arg)]),
  )
