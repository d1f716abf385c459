import {
  type Account,
  accountKey,
  addressOf,
  type ClValue,
  keyTags,
  type NamedArgument,
} from '@wattfeed/casper/types'
import type { Chainspec } from '../chainspec.ts'
import { createAddressGenerator } from './addressGenerator.ts'
import type { BlockInfo } from './blockInfo.ts'
import type { CallContext, Execution, Print } from './callContext.ts'
import { attenuate, callContract } from './callContract.ts'
import { type ContextAccessRights, extendRights, namedUrefs } from './contextAccessRights.ts'
import { ExecutionError, keyNotFoundError } from './executionError.ts'
import type { CalledContract, ContractIdentifier, ExecutionTarget } from './executionTarget.ts'
import { createGasMeter } from './gasMeter.ts'
import { authorizationErrors, checkSigners } from './keyWeights.ts'
import type { Message } from './message.ts'
import { modulesOf } from './modulesOf.ts'
import type { PurseTransfer } from './purseTransfer.ts'
import { approvedMotes } from './purseUse.ts'
import { runModule } from './runModule.ts'
import { createSystemRegistry } from './system/systemRegistry.ts'
import { type CommittedState, createTrackingCopy, type TrackingCopy } from './trackingCopy.ts'
import type { Effect } from './transform.ts'

export interface ExecutionRequest extends CommittedState {
  readonly chainspec: Chainspec
  readonly transactionHash: Uint8Array
  /** Account hash of the sender. */
  readonly initiator: Uint8Array
  /** Account hashes of the signing keys. @default the sender's */
  readonly signers?: readonly Uint8Array[]
  readonly block: BlockInfo
  /** Maximum gas, in motes. */
  readonly gasLimit: bigint
  readonly target: ExecutionTarget
  readonly args: readonly NamedArgument[]
  /** Takes what code prints. Without it, code that imports `casper_print` fails, as on a node. */
  readonly print?: Print | undefined
}

export interface ExecutionResult {
  /** The node's error message, or null. */
  readonly error: string | null
  /** Gas used, in motes. If it ran out of gas, the whole limit. */
  readonly consumed: bigint
  /** In order; empty if the execution failed. */
  readonly effects: readonly Effect[]
  /** New values by key (hex); null prunes the key. Empty if the execution failed. */
  readonly writes: ReadonlyMap<string, Uint8Array | null>
  readonly messages: readonly Message[]
  /** Transfers between purses, in order. Empty if the execution failed. */
  readonly transfers: readonly PurseTransfer[]
  /** Null if the execution failed. */
  readonly returned: ClValue | null
}

/** Executes transactions. Apart from a cache of compiled code, it keeps no state between them. */
export type Engine = (request: ExecutionRequest) => ExecutionResult

/**
 * Executes contract wasm with the node's host functions, gas and effects.
 *
 * A failed transaction is also returned as a result. No contract can make this function throw.
 */
export function execute(request: ExecutionRequest): ExecutionResult {
  const state = createTrackingCopy(request)
  const gas = createGasMeter(request.gasLimit)
  const messages: Message[] = []
  const transfers: PurseTransfer[] = []
  const { chainspec, target } = request
  const signers = request.signers ?? [request.initiator]
  try {
    const account = loadAccount(state, request.initiator)
    assertAuthorized(account, signers)
    const context = createContext(request, {
      chainspec,
      modules: modulesOf(chainspec),
      state,
      gas,
      addresses: createAddressGenerator(request.transactionHash),
      initiator: request.initiator,
      signers,
      account,
      block: request.block,
      mayAddVersions: target.kind === 'call' || target.isInstallOrUpgrade,
      callContract,
      messages,
      transfers,
      system: createSystemRegistry(state),
      print: request.print ?? null,
      messageCost: chainspec.wasm.v1.host_function_costs.emit_message.cost,
    })
    const returned = target.kind === 'call' ? call(context, target) : runSession(context, target.wasm)
    const { effects, writes } = state
    return { error: null, consumed: gas.consumed(), effects, writes, messages, transfers, returned }
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error
    return failed(error.message, gas.consumed())
  }
}

function failed(error: string, consumed: bigint): ExecutionResult {
  return { error, consumed, effects: [], writes: new Map(), messages: [], transfers: [], returned: null }
}

function loadAccount(state: TrackingCopy, accountHash: Uint8Array): Account {
  const key = accountKey(accountHash)
  const stored = state.peek(key)
  if (stored?.kind === 'Account') return stored.account
  throw keyNotFoundError(key)
}

/** The account may have changed since the transaction was accepted. @throws {ExecutionError} */
function assertAuthorized(account: Account, signers: readonly Uint8Array[]): void {
  const refusal = checkSigners(account, signers)
  if (refusal !== null) throw new ExecutionError(`Tracking copy error: ${authorizationErrors[refusal]}`)
}

function createContext({ args, initiator }: ExecutionRequest, execution: Execution): CallContext {
  const { namedKeys, mainPurse } = execution.account
  const accessRights: ContextAccessRights = new Map()
  extendRights(accessRights, [...namedUrefs(namedKeys), mainPurse])
  return {
    execution,
    contextKey: accountKey(initiator),
    entryPointType: 'Caller',
    namedKeys: new Map(namedKeys),
    accessRights,
    args,
    purses: { approvedMotes: approvedMotes(args), paymentPurse: null },
    stack: [{ kind: 'account', accountHash: initiator }],
  }
}

const SESSION_ENTRY_POINT = 'call'

function runSession(context: CallContext, wasm: Uint8Array): ClValue {
  const { execution } = context
  const loaded = execution.modules.session(wasm)
  const args = context.args.map((arg) => attenuate(context, arg))
  return runModule(loaded, SESSION_ENTRY_POINT, { ...context, args }).value
}

function call(context: CallContext, { contract, entryPoint }: ExecutionTarget & { kind: 'call' }): ClValue {
  return callContract(context, identify(context, contract), entryPoint, context.args)
}

function identify({ namedKeys }: CallContext, contract: CalledContract): ContractIdentifier {
  const resolve = (name: string): Uint8Array => {
    const key = namedKeys.get(name)
    if (key === undefined) throw new ExecutionError(`Named key ${name} not found`)
    if (key[0] !== keyTags.hash) throw new ExecutionError('Invalid key')
    return addressOf(key)
  }
  if ('name' in contract) return { contractHash: resolve(contract.name) }
  if (!('packageName' in contract)) return contract
  const { packageName, ...version } = contract
  return { packageHash: resolve(packageName), ...version }
}
