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
