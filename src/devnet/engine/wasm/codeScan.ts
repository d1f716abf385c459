import type { OpcodeCosts } from './opcodeCosts.ts'
import type { FunctionType } from './wasmModule.ts'

/** What must be known of a module to go through its code. */
export interface CodeContext {
  readonly types: readonly FunctionType[]
  /** Of every function, imported or defined, its type's index. */
  readonly functionTypes: readonly number[]
  readonly costs: OpcodeCosts
}

/** What is known of a function's code while going through it. */
export interface CodeScan {
  readonly bytes: Uint8Array
  readonly context: CodeContext
  /** How many values the function returns. */
  readonly results: number
  /** Calls, accesses to globals, `br_table`, `memory.grow`: of each the offset and what stands behind the opcode. */
  readonly marks: number[]
  /** Places where gas may be charged, in the order of the code: of each the offset and the gas. */
  readonly charges: number[]
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

/** Makes room for a charge at an offset, and returns where; it stays 0 where the gas is added to another. */
export function startCharge({ charges }: CodeScan, offset: number): number {
  return charges.push(offset, 0) - 2
}

/** A block of code that is open: the function itself, a `block`, a `loop` or an `if`. */
export interface ControlBlock {
  readonly outer: ControlBlock | null
  readonly depth: number
  readonly isLoop: boolean
  /** How many values are on the stack where it starts, what a branch to it takes along, and what it leaves. */
  readonly startHeight: number
  readonly branchArity: number
  readonly endArity: number
  /** Nothing behind an unconditional branch runs, so its stack counts for nothing. */
  isUnreachable: boolean
  /** Depth of the outermost block that a branch in this one leads out of; branches back into loops do not count. */
  farthestTarget: number
  /** The charge that gas is being added up for, among those of the code, and the stack there: -1 where no one comes by. */
  charge: number
  chargeHeight: number
  gas: number
}

export interface NewBlock {
  readonly isLoop: boolean
  /** How many values it leaves. */
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

/** The block that is so many further out, or null. */
export function blockAt(block: ControlBlock, label: number): ControlBlock | null {
  let found: ControlBlock | null = block
  for (let rest = label; rest > 0 && found !== null; rest--) found = found.outer
  return found
}
