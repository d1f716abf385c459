import type { Account, ClValue, EntryPointType, NamedArgument } from '@wattfeed/casper/types'
import type { Chainspec } from '../chainspec.ts'
import type { AddressGenerator } from './addressGenerator.ts'
import type { BlockInfo } from './blockInfo.ts'
import type { ContextAccessRights } from './contextAccessRights.ts'
import type { ContractMemory } from './contractMemory.ts'
import type { ContractIdentifier } from './executionTarget.ts'
import type { GasMeter } from './gasMeter.ts'
import type { LoadedModule, ModuleCache } from './loadedModule.ts'
import type { Message } from './message.ts'
import type { PurseTransfer } from './purseTransfer.ts'
import type { PurseUse } from './purseUse.ts'
import type { SystemRegistry } from './system/systemRegistry.ts'
import type { TrackingCopy } from './trackingCopy.ts'

export type CallContract = (
  caller: CallContext,
  identifier: ContractIdentifier,
  entryPointName: string,
  args: readonly NamedArgument[],
) => ClValue

/** Takes a line that code prints. */
export type Print = (text: string) => void

/** State shared by all calls of a transaction. */
export interface Execution {
  readonly chainspec: Chainspec
  readonly modules: ModuleCache
  readonly state: TrackingCopy
  readonly gas: GasMeter
  readonly addresses: AddressGenerator
  /** Account hash of the sender. */
  readonly initiator: Uint8Array
  /** Account hashes of the signing keys. */
  readonly signers: readonly Uint8Array[]
  /** The sender's account before the transaction. */
  readonly account: Account
  readonly block: BlockInfo
  /** Whether contract versions can be added. Session code needs the install or upgrade flag. */
  readonly mayAddVersions: boolean
  /** Implements the host functions that call contracts. */
  readonly callContract: CallContract
  readonly messages: Message[]
  /** Transfers between purses. */
  readonly transfers: PurseTransfer[]
  readonly system: SystemRegistry
  /** Takes what code prints; null for a node's behavior. */
  readonly print: Print | null
  /** Cost of the next message. It grows with each message. */
  messageCost: number
}

/** The context of one call: its account or contract, rights and arguments. */
export interface CallContext {
  readonly execution: Execution
  /** The key of the account or the contract. */
  readonly contextKey: Uint8Array
  readonly entryPointType: EntryPointType
  /** A copy that includes the changes of the running code. */
  readonly namedKeys: Map<string, Uint8Array>
  readonly accessRights: ContextAccessRights
  readonly args: readonly NamedArgument[]
  readonly purses: PurseUse
  /** From the initiator to the running code. */
  readonly stack: readonly Caller[]
}

export interface Runtime extends CallContext {
  readonly code: LoadedModule
  readonly memory: ContractMemory
  /** The result of a host function. The code fetches it with a second call. */
  hostBuffer: ClValue | null
}

/** A frame of the call stack: the account that sent the transaction, or a contract. */
export type Caller =
  | { readonly kind: 'account'; readonly accountHash: Uint8Array }
  | { readonly kind: 'contract'; readonly packageHash: Uint8Array; readonly contractHash: Uint8Array }
