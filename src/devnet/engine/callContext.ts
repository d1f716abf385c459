import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '../../bytes/byteWriter.ts'
import type { Account } from '../../casper/types/account.ts'
import { type ClValue, type NamedArgument, writeClValue } from '../../casper/types/clValue.ts'
import type { EntryPointType } from '../../casper/types/contract.ts'
import type { Chainspec } from '../chainspec.ts'
import type { AddressGenerator } from './addressGenerator.ts'
import type { ContextAccessRights } from './contextAccessRights.ts'
import type { ContractMemory } from './contractMemory.ts'
import type { GasMeter } from './gasMeter.ts'
import type { LoadedModule } from './loadedModule.ts'
import type { Message } from './message.ts'
import type { ModuleCache } from './moduleCache.ts'
import type { TrackingCopy } from './trackingCopy.ts'

/** What all calls of one transaction share. */
export interface Execution {
  readonly chainspec: Chainspec
  readonly modules: ModuleCache
  readonly state: TrackingCopy
  readonly gas: GasMeter
  readonly addresses: AddressGenerator
  /** Account hash of the sender. */
  readonly initiator: Uint8Array
  /** The sender's account as it was before. */
  readonly account: Account
  readonly blockTimeMs: number
  /** Whether versions of contracts may be added: not by code that a transaction brings along just to run it. */
  readonly mayAddVersions: boolean
  readonly messages: Message[]
  /** What the next message costs: more each time. */
  messageCost: number
}

/** In whose name code runs, and what it was given: one for each call. */
export interface CallContext {
  readonly execution: Execution
  /** The key of the account or the contract. */
  readonly contextKey: Uint8Array
  readonly entryPointType: EntryPointType
  /** A copy, which follows what the code itself changes. */
  readonly namedKeys: Map<string, Uint8Array>
  readonly accessRights: ContextAccessRights
  readonly args: readonly NamedArgument[]
  /** The initiator first, what runs now last. */
  readonly stack: readonly Caller[]
}

/** Code that runs. */
export interface Runtime extends CallContext {
  readonly code: LoadedModule
  readonly memory: ContractMemory
  /** A value on its way into the code, which fetches it in a second step. */
  hostBuffer: ClValue | null
}

/** A frame of the call stack: the account that sent the transaction, or a contract. */
export type Caller =
  | { readonly kind: 'account'; readonly accountHash: Uint8Array }
  | { readonly kind: 'contract'; readonly packageHash: Uint8Array; readonly contractHash: Uint8Array }

const ACCOUNT = 0
const CONTRACT = 4

/**
 * Frames as a contract reads them: a `List` of `Any`, of each frame a byte for its kind and five fields by number:
 * account, package, contract package, entity, contract. The second and the fourth belong to addressable entities and
 * are never there.
 */
export function encodeCallers(callers: readonly Caller[]): ClValue {
  const writer = createByteWriter(256).u32(callers.length)
  for (const caller of callers) {
    const isAccount = caller.kind === 'account'
    const fields = [
      optionalHash(isAccount ? caller.accountHash : null),
      optionalHash(null),
      optionalHash(isAccount ? null : caller.packageHash),
      { clType: { Option: 'Any' }, bytes: Uint8Array.of(0) } as const,
      optionalHash(isAccount ? null : caller.contractHash),
    ]
    writer.u8(isAccount ? ACCOUNT : CONTRACT).u32(fields.length)
    fields.forEach((field, index) => {
      writeClValue(writer.u8(index), field)
    })
  }
  return { clType: { List: 'Any' }, bytes: writer.finish() }
}

const optionalHash = (hash: Uint8Array | null): ClValue => ({
  clType: { Option: { ByteArray: 32 } },
  bytes: hash === null ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), hash),
})

/** What `ret` throws through the frames of a contract, to be caught where the contract was called. */
export class ReturnSignal extends Error {
  constructor(
    /** What the contract returned; null where that did not decode. */
    readonly value: ClValue | null,
    /** The URefs in it, which the caller may use from now on. */
    readonly urefs: readonly Uint8Array[],
  ) {
    super('a contract returned')
  }
}
