import type { ClValue, NamedArgument } from '@wattfeed/casper/types'
import type { CallContext } from '../callContext.ts'
import type { FoundContract } from '../findContract.ts'

/** A call of a system contract. It has no wasm: a node executes it natively. */
export interface SystemCall {
  readonly caller: CallContext
  readonly found: FoundContract
  readonly args: readonly NamedArgument[]
}

/** Entry points of a system contract by name. They throw an `ExecutionError`, or return an error as a value. */
export type SystemEntryPoints = Readonly<Partial<Record<string, (call: SystemCall) => ClValue>>>
