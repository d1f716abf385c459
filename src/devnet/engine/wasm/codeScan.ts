import type { ControlBlock } from './controlBlock.ts'
import type { OpcodeCosts } from './opcodeCosts.ts'
import type { FunctionType } from './wasmModule.ts'

/** What must be known of a module to go through its code. */
export interface CodeContext {
  readonly types: readonly FunctionType[]
  /** Of every function, imported or defined, its type's index. */
  readonly functionTypes: readonly number[]
  readonly costs: OpcodeCosts
}

/** A place where gas is charged. */
export interface Charge {
  readonly offset: number
  /** NaN where an instruction is not allowed. */
  readonly gas: number
}

/** What is known of a function's code while going through it. */
export interface CodeScan {
  readonly bytes: Uint8Array
  readonly context: CodeContext
  /** How many values the function returns. */
  readonly results: number
  /** Calls, accesses to globals, `br_table`, `memory.grow`: of each the offset and what stands behind the opcode. */
  readonly marks: number[]
  readonly charges: Charge[]
  /** Whether an integer took more bytes than it needs. */
  hasPadding: boolean
  /** Values on the stack, now and at most. */
  height: number
  highest: number
  /** Whether code never took more from the stack than was there. */
  isBalanced: boolean
  /** The innermost block that is open; null behind the end. */
  block: ControlBlock | null
}

/** Takes values off the stack. */
export function pop(scan: CodeScan, { startHeight, isUnreachable }: ControlBlock, count: number): void {
  if (count === 0) return
  if (scan.height !== startHeight && count <= scan.height) scan.height -= count
  else if (scan.height !== startHeight || !isUnreachable) scan.isBalanced = false
}

/** Ends what is paid for together, and starts anew at an offset. */
export function finishCharge(scan: CodeScan, block: ControlBlock, next: number): void {
  const { outer, gasStart, gasStartHeight, gas } = block
  if (outer !== null && outer.gasStart === gasStart) outer.gas += gas
  else if (gas !== 0) {
    scan.charges.push({ offset: gasStart, gas })
    if (gasStartHeight >= scan.highest) scan.highest = gasStartHeight + 1
  }
  startCharge(scan, block, next)
}

function startCharge(scan: CodeScan, block: ControlBlock, next: number): void {
  block.gasStart = next
  block.gasStartHeight = block.isUnreachable ? -1 : scan.height
  block.gas = 0
}
