import type { OpcodeCosts } from './opcodeCosts.ts'
import type { FunctionType } from './wasmModule.ts'

/** What the scan of a function needs to know about its module. */
export interface CodeContext {
  readonly types: readonly FunctionType[]
  /** Type index of every function, imported or defined. */
  readonly functionTypes: readonly number[]
  readonly costs: OpcodeCosts
}

/** The scan of a function, up to the current instruction. */
export interface CodeScan {
  readonly bytes: Uint8Array
  readonly context: CodeContext
  /** Number of values that the function returns. */
  readonly results: number
  /** Alternating: offset and first operand of each call, access to a global, `br_table` and `memory.grow`. */
  readonly marks: number[]
  /** Alternating: offset and gas of each possible charge, in order. */
  readonly charges: number[]
  /** Whether the encoding of an integer is not minimal. */
  hasPadding: boolean
  /** Current and maximum number of values on the stack. */
  height: number
  highest: number
  /** Whether the code never pops more values than the stack has. */
  isBalanced: boolean
  /** The innermost open block; null after the end of the function. */
  block: ControlBlock | null
}

/**
 * Pops values. Like in the node's stack limiter, only a stack at the height of its block's start counts as exhausted, and
 * unreachable code can pop from it.
 */
export function pop(scan: CodeScan, { startHeight, isUnreachable }: ControlBlock, count: number): void {
  if (count === 0) return
  if (scan.height !== startHeight && count <= scan.height) scan.height -= count
  else if (scan.height !== startHeight || !isUnreachable) scan.isBalanced = false
}

/** Ends the current metered block and starts the next one at an offset. */
export function finishCharge(scan: CodeScan, block: ControlBlock, next: number): void {
  const { outer, charge, chargeHeight, gas } = block
  if (outer !== null && outer.charge === charge) outer.gas += gas
  else if (gas !== 0) {
    scan.charges[charge + 1] = gas
    if (chargeHeight >= scan.highest) scan.highest = chargeHeight + 1
  }
  block.charge = startCharge(scan, next)
  block.chargeHeight = block.isUnreachable ? -1 : scan.height
  block.gas = 0
}

/** Adds a charge at an offset and returns its index. The charge stays 0 if its gas is added to another charge. */
export function startCharge({ charges }: CodeScan, offset: number): number {
  return charges.push(offset, 0) - 2
}

/** An open control block: the function itself, a `block`, a `loop` or an `if`. */
export interface ControlBlock {
  readonly outer: ControlBlock | null
  readonly depth: number
  readonly isLoop: boolean
  /** Number of values on the stack at the start of the block. */
  readonly startHeight: number
  /** Number of values that a branch to the block takes. */
  readonly branchArity: number
  /** Number of values that the block leaves on the stack. */
  readonly endArity: number
  /** Whether the current code follows an unconditional branch. It never runs, so its stack height does not matter. */
  isUnreachable: boolean
  /** Depth of the outermost block that a branch leaves. Branches back to a loop do not count. */
  farthestTarget: number
  /** Index of the current charge. */
  charge: number
  /** Stack height at the current charge; -1 if the code is unreachable. */
  chargeHeight: number
  gas: number
}

export interface NewBlock {
  readonly isLoop: boolean
  /** Number of values that the block leaves on the stack. */
  readonly arity: number
  readonly height: number
  readonly charge: number
  readonly chargeHeight: number
}

export function openBlock(outer: ControlBlock | null, block: NewBlock): ControlBlock {
  const { isLoop, arity, height, charge, chargeHeight } = block
  const depth = outer === null ? 0 : outer.depth + 1
  return {
    outer,
    depth,
    isLoop,
    startHeight: height,
    branchArity: isLoop ? 0 : arity,
    endArity: arity,
    isUnreachable: false,
    farthestTarget: depth,
    charge,
    chargeHeight,
    gas: 0,
  }
}

/** Returns the open block that a branch leaves or repeats; null if there are not so many. */
export function blockAt(block: ControlBlock, label: number): ControlBlock | null {
  let found: ControlBlock | null = block
  for (let rest = label; rest > 0 && found !== null; rest--) found = found.outer
  return found
}
