import { type ContractPackage, type EntryPoint, hashKey, type NamedArgument } from '@wattfeed/casper/types'
import type { CallContext, CallContract } from './callContext.ts'
import { pushFrame } from './callStack.ts'
import {
  assertRights,
  type ContextAccessRights,
  extendRights,
  hasRights,
  namedUrefs,
} from './contextAccessRights.ts'
import { decodeInput, ExecutionError, invalidContextError, keyNotFoundError } from './executionError.ts'
import { type FoundContract, findContract } from './findContract.ts'
import type { LoadedModule } from './loadedModule.ts'
import { runModule } from './runModule.ts'
import { callSystem } from './system/callSystem.ts'
import { urefsOf, withoutWriteRight } from './urefsIn.ts'

/** @throws {ExecutionError} when the contract does not exist, cannot be called or fails; a calling contract cannot catch it */
export const callContract: CallContract = (caller, identifier, entryPointName, args) => {
  const found = findContract(caller, identifier)
  const system = caller.execution.system.nameOf(found.contractHash)
  const entryPoint = findEntryPoint(caller, found, entryPointName, system !== null)
  assertAccess(caller, found.contractPackage, entryPoint)
  const passed = system === null ? args.map((arg) => attenuate(caller, arg)) : args
  const urefs = passed.flatMap(urefsOf)
  for (const uref of urefs) assertRights(caller.accessRights, uref)
  const stack = pushFrame(caller, found)
  if (system !== null) {
    const value = callSystem(system, entryPointName, { caller, found, args })
    extendRights(caller.accessRights, urefsOf(value))
    return value
  }
  const loaded = loadContract(caller, found.contract.wasmHash)
  const context = createContext(caller, found, entryPoint)
  extendRights(context.accessRights, urefs)
  const returned = runModule(loaded, entryPoint.name, { ...context, args: passed, stack })
  extendRights(caller.accessRights, returned.urefs)
  // As in a node, what a contract spends counts for its caller only if it ends without `ret`.
  if (!returned.isExplicit) caller.purses.approvedMotes = context.purses.approvedMotes
  if (entryPoint.entry_point_type === 'Caller') adoptNamedKeys(caller, context)
  return returned.value
}

/** @throws {ExecutionError} when there is none; in a system contract, a call of it costs gas */
function findEntryPoint(
  { execution: { gas, chainspec } }: CallContext,
  { contract }: FoundContract,
  name: string,
  isSystem: boolean,
): EntryPoint {
  const entryPoint = contract.entryPoints.get(name)
  if (entryPoint !== undefined) return entryPoint
  if (isSystem) gas.charge(chainspec.system_costs.no_such_entrypoint)
  throw new ExecutionError(`No such method: ${name}`)
}

function assertAccess(caller: CallContext, { groups }: ContractPackage, entryPoint: EntryPoint): void {
  const { name, access, entry_point_type: entryPointType } = entryPoint
  if (access === 'Template') throw new ExecutionError(`Error calling a template entry point: ${name}`)
  const isMember =
    access === 'Public' ||
    access.Groups.some((group) => groups.get(group)?.some((uref) => hasRights(caller.accessRights, uref)))
  // Only session code can call stored session code, because that runs in the context of its caller.
  if (!isMember || (entryPointType === 'Caller' && caller.entryPointType !== 'Caller'))
    throw invalidContextError()
}

/** Removes the write right from the sender's main purse in an argument. @throws {ExecutionError} */
export function attenuate({ execution }: CallContext, arg: NamedArgument): NamedArgument {
  const purse = execution.account.mainPurse.subarray(0, 32)
  return { name: arg.name, ...decodeInput(() => withoutWriteRight(arg, purse), 'CLValue error') }
}

function loadContract({ execution }: CallContext, wasmHash: Uint8Array): LoadedModule {
  const key = hashKey(wasmHash)
  const stored = execution.state.read(key)
  if (stored === null) throw keyNotFoundError(key)
  if (stored.kind !== 'ContractWasm')
    throw new ExecutionError(`Invalid contract WASM: contract-wasm-${wasmHash.toHex()}`)
  return execution.modules.stored(wasmHash, stored.wasm)
}

type NewContext = Pick<
  CallContext,
  'execution' | 'contextKey' | 'entryPointType' | 'namedKeys' | 'accessRights' | 'purses'
>

/** Stored session code runs in the caller's context. */
function createContext(
  caller: CallContext,
  { contract, contractHash }: FoundContract,
  { entry_point_type: entryPointType }: EntryPoint,
): NewContext {
  const isSession = entryPointType === 'Caller'
  const { account } = caller.execution
  const namedKeys = new Map(isSession ? account.namedKeys : contract.namedKeys)
  const accessRights: ContextAccessRights = new Map()
  extendRights(accessRights, namedUrefs(namedKeys))
  if (isSession) extendRights(accessRights, [account.mainPurse])
  return {
    execution: caller.execution,
    contextKey: isSession ? caller.contextKey : hashKey(contractHash),
    entryPointType,
    namedKeys,
    accessRights,
    purses: { ...caller.purses },
  }
}

/** Copies changes of the named keys from stored session code to the calling session. */
function adoptNamedKeys(caller: CallContext, { namedKeys }: NewContext): void {
  caller.namedKeys.clear()
  for (const [name, key] of namedKeys) caller.namedKeys.set(name, key)
}
