import {
  blockAt,
  type CodeScan,
  type ControlBlock,
  finishCharge,
  openBlock,
  pop,
  startCharge,
} from './codeScan.ts'
import { decodeUnsigned, hasUnsignedPadding, skipUnsigned } from './leb128.ts'
import { NO_RESULT, opcodes } from './opcodes.ts'
import { skipInstruction } from './skipInstruction.ts'
import type { FunctionType } from './wasmModule.ts'

/**
 * Scans an instruction that branches, calls or selects, and returns its end.
 *
 * @throws {ExecutionError} when a node does not know the instruction
 */
export function scanControl(scan: CodeScan, block: ControlBlock, opcode: number, from: number): number {
  const { bytes, context } = scan
  const isShort = (bytes[from + 1] ?? 0x80) < 0x80
  const end = isShort && hasOneByte(opcode) ? from + 2 : skipInstruction(bytes, from)
  if (end > from + 2 && hasPaddedOperand(bytes, opcode, from, end)) scan.hasPadding = true
  if (opcode === opcodes.end) closeBlock(scan, block, end)
  else if (opcode === opcodes.else) finishCharge(scan, block, end)
  else {
    const operand = end > from + 1 ? decodeUnsigned(bytes, from + 1) : 0
    const { table, ofLabels } = context.costs
    block.gas += opcode === opcodes.brTable ? ofLabels(operand) : (table[opcode] ?? Number.NaN)
    if (isBlock(opcode)) enter(scan, block, { opcode, type: operand, end })
    else if (opcode >= opcodes.br && opcode <= opcodes.return) {
      if (opcode === opcodes.brIf) branchIf(scan, block, operand)
      else branch(scan, block, opcode, from)
      finishCharge(scan, block, end)
    } else moveValues(scan, block, opcode, operand)
  }
  return end
}

const hasOneByte = (opcode: number): boolean =>
  opcode === opcodes.br || opcode === opcodes.brIf || opcode === opcodes.call

/** A type of a block that takes more than one byte is padded: its value fits in one. */
const hasPaddedOperand = (bytes: Uint8Array, opcode: number, from: number, end: number): boolean =>
  isBlock(opcode) || hasUnsignedPadding(bytes, from + 1, end)

const isBlock = (opcode: number): boolean => opcode >= opcodes.block && opcode <= opcodes.if

function enter(
  scan: CodeScan,
  block: ControlBlock,
  { opcode, type, end }: { opcode: number; type: number; end: number },
): void {
  if (opcode === opcodes.if) pop(scan, block, 1)
  const isPlain = opcode === opcodes.block
  scan.block = openBlock(block, {
    isLoop: opcode === opcodes.loop,
    arity: type === NO_RESULT ? 0 : 1,
    height: scan.height,
    charge: isPlain ? block.charge : startCharge(scan, end),
    chargeHeight: isPlain ? block.chargeHeight : scan.height,
  })
}

function closeBlock(scan: CodeScan, block: ControlBlock, end: number): void {
  const { outer, depth, farthestTarget, startHeight, endArity } = block
  scan.height = startHeight + endArity
  finishCharge(scan, block, end)
  scan.block = outer
  if (outer === null) return
  outer.farthestTarget = Math.min(outer.farthestTarget, farthestTarget)
  if (farthestTarget < depth) finishCharge(scan, outer, end)
}

/** Returns the labels of a `br_table`; the default label is last. */
function labelsOf(bytes: Uint8Array, from: number): number[] {
  const labels: number[] = []
  let offset = skipUnsigned(bytes, from + 1)
  for (let rest = decodeUnsigned(bytes, from + 1) + 1; rest > 0; rest--) {
    labels.push(decodeUnsigned(bytes, offset))
    offset = skipUnsigned(bytes, offset)
  }
  return labels
}

/** Ends the code that is reached with an unconditional branch. */
function branch(scan: CodeScan, block: ControlBlock, opcode: number, from: number): void {
  const { bytes } = scan
  if (opcode === opcodes.return) {
    pop(scan, block, scan.results)
    block.farthestTarget = 0
  } else if (opcode === opcodes.brTable) branchByTable(scan, block, labelsOf(bytes, from))
  else branchTo(scan, block, blockAt(block, decodeUnsigned(bytes, from + 1)))
  block.isUnreachable = true
}

function branchTo(scan: CodeScan, block: ControlBlock, target: ControlBlock | null): void {
  if (target === null) scan.isBalanced = false
  else {
    pop(scan, block, target.branchArity)
    recordBranch(block, target)
  }
}

/** Takes the condition too. Without a branch, the values of the target stay. */
function branchIf(scan: CodeScan, block: ControlBlock, label: number): void {
  const target = blockAt(block, label)
  branchTo(scan, block, target)
  if (target === null) return
  pop(scan, block, 1)
  scan.height += target.branchArity
}

function branchByTable(scan: CodeScan, block: ControlBlock, labels: readonly number[]): void {
  const targets = labels.map((label) => blockAt(block, label))
  const arity = targets[0]?.branchArity ?? 0
  if (targets.some((target) => target?.branchArity !== arity)) scan.isBalanced = false
  pop(scan, block, arity)
  for (const target of targets) if (target !== null) recordBranch(block, target)
}

/** Records that a branch in a block can skip the code after the block. */
function recordBranch(block: ControlBlock, { isLoop, depth }: ControlBlock): void {
  if (!isLoop && depth < block.farthestTarget) block.farthestTarget = depth
}

/** Applies the stack effect of calls, `select` and `unreachable`. */
function moveValues(scan: CodeScan, block: ControlBlock, opcode: number, operand: number): void {
  const { types, functionTypes } = scan.context
  if (opcode === opcodes.unreachable) block.isUnreachable = true
  else if (opcode === opcodes.call) call(scan, block, types[functionTypes[operand] ?? -1])
  else if (opcode === opcodes.callIndirect) {
    pop(scan, block, 1)
    call(scan, block, types[operand])
  } else {
    pop(scan, block, 2)
    pop(scan, block, 1)
    scan.height += 1
  }
}

function call(scan: CodeScan, block: ControlBlock, type: FunctionType | undefined): void {
  pop(scan, block, type?.params.length ?? 0)
  scan.height += type?.results.length ?? 0
}
