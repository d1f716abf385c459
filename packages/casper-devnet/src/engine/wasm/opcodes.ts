/** Opcodes with special handling. All others are only copied and metered. */
export const opcodes = {
  unreachable: 0x00,
  nop: 0x01,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  drop: 0x1a,
  select: 0x1b,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Load: 0x28,
  i64Load32U: 0x35,
  i32Store: 0x36,
  i64Store32: 0x3e,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i64Const: 0x42,
  f64Const: 0x44,
  i32Eqz: 0x45,
  i32GtU: 0x4b,
  i64Eqz: 0x50,
  i64GeU: 0x5a,
  i32Clz: 0x67,
  i32Popcnt: 0x69,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32Mul: 0x6c,
  i64Clz: 0x79,
  i64Popcnt: 0x7b,
  f32Abs: 0x8b,
  f32Sqrt: 0x91,
  f64Abs: 0x99,
  f64Sqrt: 0x9f,
  i32WrapI64: 0xa7,
  i64ExtendI32S: 0xac,
  i64ExtendI32U: 0xad,
  i32Extend8S: 0xc0,
  i64Extend32S: 0xc4,
} as const

/** The type of a block without a result. */
export const NO_RESULT = 0x40

/** Kinds of immediates. They are numbers for speed, because the kind of every instruction is looked up. */
export const immediates = {
  none: 0,
  /** One unsigned integer: an index or a label. */
  index: 1,
  blockType: 2,
  /** A count, the labels, and the default label. */
  labels: 3,
  /** Two unsigned integers: a type and a table, or an alignment and an offset. */
  pair: 4,
  /** A zero byte. */
  zero: 5,
  i32: 6,
  i64: 7,
  f32: 8,
  f64: 9,
  /** The node does not know the opcode. */
  unknown: 10,
} as const

/** The kind of immediates by opcode: one of {@link immediates}. */
export const immediateOf: Uint8Array = Uint8Array.from({ length: 256 }, (_, opcode) => findImmediate(opcode))

function findImmediate(opcode: number): number {
  if (opcode >= opcodes.block && opcode <= opcodes.if) return immediates.blockType
  if (opcode === opcodes.br || opcode === opcodes.brIf || opcode === opcodes.call) return immediates.index
  if (opcode >= opcodes.localGet && opcode <= opcodes.globalSet) return immediates.index
  if (opcode === opcodes.brTable) return immediates.labels
  if (opcode === opcodes.callIndirect) return immediates.pair
  if (opcode >= opcodes.i32Load && opcode <= opcodes.i64Store32) return immediates.pair
  if (opcode === opcodes.memorySize || opcode === opcodes.memoryGrow) return immediates.zero
  // The constants and their immediates are in the same order.
  if (opcode >= opcodes.i32Const && opcode <= opcodes.f64Const)
    return immediates.i32 + (opcode - opcodes.i32Const)
  return isPlain(opcode) ? immediates.none : immediates.unknown
}

/** Returns whether an opcode has no immediates. */
function isPlain(opcode: number): boolean {
  if (opcode >= opcodes.i32Eqz) return opcode <= opcodes.i64Extend32S
  const others: readonly number[] = [
    opcodes.unreachable,
    opcodes.nop,
    opcodes.else,
    opcodes.end,
    opcodes.return,
    opcodes.drop,
    opcodes.select,
  ]
  return others.includes(opcode)
}
