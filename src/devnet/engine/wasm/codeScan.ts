import type { OpcodeCosts } from './opcodeCosts.ts'
import type { FunctionType } from './wasmModule.ts'

/** What a scan needs to know of the module. */
export interface CodeContext {
  readonly types: readonly FunctionType[]
  /** Type index of every function, imported or defined. */
  readonly functionTypes: readonly number[]
  readonly costs: OpcodeCosts
}

/** State of the scan of a function's code. */
export interface CodeScan {
  readonly bytes: Uint8Array
  readonly context: CodeContext
  /** How many values the function returns. */
  readonly results: number
  /** Offset and first operand of each call, access to a global, `br_table` and `memory.grow`. */
  readonly marks: number[]
  /** Offset and gas of each possible charge, in order. */
  readonly charges: number[]
  /** Whether an integer takes more bytes than it needs. */
  hasPadding: boolean
  /** Current and maximum number of values on the stack. */
  height: number
  highest: number
  /** Whether code never pops more than the stack has. */
  isBalanced: boolean
  /** The innermost open block; null after the end. */
  block: ControlBlock | null
}

/** Pops values off the stack. */
export function pop(scan: CodeScan, { startHeight, isUnreachable }: ControlBlock, count: number): void {
  if (count === 0) return
  if (scan.height !== startHeight && count <= scan.height) scan.height -= count
  else if (scan.height !== startHeight || !isUnreachable) scan.isBalanced = false
}

/** Finishes the current metered block and starts the next at an offset. */
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

/** Adds a charge at an offset and returns its index; it stays 0 if its gas is added to another. */
export function startCharge({ charges }: CodeScan, offset: number): number {
  return charges.push(offset, 0) - 2
}

/** An open block of code: the function itself, a `block`, a `loop` or an `if`. */
export interface ControlBlock {
  readonly outer: ControlBlock | null
  readonly depth: number
  readonly isLoop: boolean
  /** Number of values on the stack at its start, taken by a branch to it, and left by it. */
  readonly startHeight: number
  readonly branchArity: number
  readonly endArity: number
  /** After an unconditional branch nothing runs, so the stack does not count. */
  isUnreachable: boolean
  /** Depth of the outermost block that a branch leaves; branches back into loops do not count. */
  farthestTarget: number
  /** Index of the current charge and the stack height there: -1 if unreachable. */
  charge: number
  chargeHeight: number
  gas: number
}

export interface NewBlock {
  readonly isLoop: boolean
  /** Number of values that it leaves. */
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

/** Returns the block that a label refers to, or null. */
export function blockAt(block: ControlBlock, label: number): ControlBlock | null {
  let found: ControlBlock | null = block
  for (let rest = label; rest > 0 && found !== null; rest--) found = found.outer
  return found
}
