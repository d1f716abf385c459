import type { Account } from '../../casper/types/account.ts'
import type { ClValue, NamedArgument } from '../../casper/types/clValue.ts'
import type { EntryPointType } from '../../casper/types/contract.ts'
import type { Chainspec } from '../chainspec.ts'
import type { AddressGenerator } from './addressGenerator.ts'
import type { Caller } from './caller.ts'
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
