import type { NamedArgument } from '@wattfeed/casper/types'
import type { Chainspec } from '../chainspec.ts'
import type { BlockInfo } from '../engine/blockInfo.ts'
import type { Engine, ExecutionResult } from '../engine/execute.ts'
import type { CommittedState } from '../engine/trackingCopy.ts'

/** A call that shows what an entry point returns. */
export interface ContractView {
  readonly packageHash: Uint8Array
  readonly entryPoint: string
  readonly args: readonly NamedArgument[]
  /** Account hash of the caller. */
  readonly caller: Uint8Array
}

interface ViewContext extends CommittedState {
  readonly chainspec: Chainspec
  readonly block: BlockInfo
  readonly gasLimit: bigint
}

/** Executes an entry point as a transaction that calls it would. Its effects are not kept. */
export function viewContract(engine: Engine, view: ContractView, context: ViewContext): ExecutionResult {
  const { packageHash, entryPoint, args, caller } = view
  return engine({
    ...context,
    transactionHash: new Uint8Array(32),
    initiator: caller,
    target: { kind: 'call', contract: { packageHash, version: null }, entryPoint },
    args,
    // What it prints is not kept, either. Without this, an entry point that prints would fail.
    print: () => {},
  })
}
