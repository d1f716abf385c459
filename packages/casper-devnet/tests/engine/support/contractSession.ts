import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '@wattfeed/base'
import { encodeClValue } from '@wattfeed/casper/testing/encodeClValue'
import { writeEntryPoint, writeNamedKeys } from '@wattfeed/casper/testing/internals'
import type { EntryPoint, EntryPointType, NamedKeys } from '@wattfeed/casper/types'
import { keyTags, type NamedArgument } from '@wattfeed/casper/types'
import type { ExecutionResult } from '../../../src/engine/execute.ts'
import type { EngineChain } from '../../support/engine/engineChain.ts'
import { encodeHostCalls, type HostCall, OUT, text } from '../../support/engine/hostCalls.ts'

/** A version of a contract with one function. */
export interface ContractVersion {
  /** The context in which the function runs. @default 'Called' */
  readonly entryPointType?: EntryPointType
  /** Named keys of the version. */
  readonly namedKeys?: NamedKeys
  /** Message topics of the version. */
  readonly topics?: readonly string[]
  /** Who may call it. @default 'Public' */
  readonly access?: EntryPoint['access']
  /** Who pays for the function, as a number. @default 0 */
  readonly payment?: number
}

/** A contract, and the session that installs and calls it. */
export interface ContractSession extends ContractVersion {
  readonly before?: readonly HostCall[]
  /** Calls after the contract is installed. */
  readonly beforeCall?: readonly HostCall[]
  /** Whether to lock its package, as a number. @default 0 */
  readonly isLocked?: number
  /** Arguments of the function. */
  readonly args?: readonly NamedArgument[]
  /** Body of the function. @default empty */
  readonly contract?: readonly HostCall[]
  readonly after?: readonly HostCall[]
}

/** A URef that is written to {@link UREF} in a module's memory is a key from `KEY` on, 34 bytes long. */
export const KEY = 0
export const UREF = KEY + 1
/** A URef that is written to {@link RETURNED_UREF} is a CLValue from `RETURNED` on, 38 bytes long. */
export const RETURNED = 40
export const RETURNED_UREF = RETURNED + 4
/** Where the session finds the contract's key, of 33 bytes, which contains its hash. */
export const CONTRACT = 80
export const CONTRACT_HASH = CONTRACT + 1
/** The same for its package. */
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
  const { before = [], beforeCall = [], isLocked = 0, args = [], contract = [], after = [] } = session
  return encodeHostCalls(
    [
      ...before,
      { name: 'create_contract_package_at_hash', args: [PACKAGE_HASH, somewhere, isLocked] },
      addVersion(CONTRACT_HASH, session),
      ...beforeCall,
      callContract([CONTRACT_HASH, 32], args),
      ...after,
    ],
    { entryPoints: { [ENTRY_POINT]: contract }, data },
  )
}

/** Runs the session, which may install contracts. */
export function runContractSession(
  chain: EngineChain,
  initiator: Uint8Array,
  session: ContractSession,
): ExecutionResult {
  const wasm = encodeContractSession(session)
  return chain.execute({ initiator, target: { kind: 'session', wasm, isInstallOrUpgrade: true } })
}

/** Adds a version to the session's package, and writes the version's hash to an address in its memory. */
export function addVersion(contractHash: number, version: ContractVersion = {}, returns = 0): HostCall {
  const { entryPointType = 'Called', namedKeys = new Map(), topics = [], payment = 0 } = version
  const { access = 'Public' } = version
  const keys = writeNamedKeys(createByteWriter(), namedKeys).finish()
  const parts = [encodeEntryPoints({ entryPointType, access, payment }), keys, encodeTopics(topics)]
  return {
    name: 'add_contract_version_with_message_topics',
    args: [PACKAGE_HASH, 32, somewhere, ...parts, contractHash, 32],
    returns,
  }
}

/** Calls a contract's function. The contract's hash is given, or is at an address in memory. */
export const callContract = (
  contractHash: readonly (number | Uint8Array)[],
  args: readonly NamedArgument[] = [],
): HostCall => ({
  name: 'call_contract',
  args: [...contractHash, text(ENTRY_POINT), encodeArguments(args), somewhere],
})

/** Stores the key of the contract, or of its package, as a named key of the account. */
export const keepKey = (name: string, key: typeof CONTRACT | typeof PACKAGE): HostCall => ({
  name: 'put_key',
  args: [text(name), key, 33],
})

const encodeEntryPoints = ({
  entryPointType,
  access,
  payment,
}: Required<Pick<ContractVersion, 'entryPointType' | 'access' | 'payment'>>): Uint8Array =>
  writeEntryPoint(createByteWriter().u32(1).string(ENTRY_POINT), {
    name: ENTRY_POINT,
    args: [],
    ret: 'Unit',
    access,
    entry_point_type: entryPointType,
  })
    .u8(payment)
    .finish()

const encodeTopics = (topics: readonly string[]): Uint8Array =>
  concatBytes(
    createByteWriter().u32(topics.length).finish(),
    ...topics.flatMap((topic) => [text(topic), Uint8Array.of(0)]),
  )

/** Encodes the arguments of a call as a contract does. */
export const encodeArguments = (args: readonly NamedArgument[]): Uint8Array =>
  concatBytes(
    createByteWriter().u32(args.length).finish(),
    ...args.flatMap((arg) => [text(arg.name), encodeClValue(arg)]),
  )
