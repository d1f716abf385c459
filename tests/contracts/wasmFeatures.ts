/** Sections of a module that hold what is looked at here. */
const TYPES = 1
const TABLES = 4
const MEMORIES = 5
const DATA_COUNT = 12
const CODE = 10

/** First bytes of instructions that came after the first version of WebAssembly. */
const laterInstructions = new Map([
  ...[0xc0, 0xc1, 0xc2, 0xc3, 0xc4].map((opcode) => [opcode, 'sign extension'] as const),
  ...[0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f].map((opcode) => [opcode, 'exceptions'] as const),
  ...[0x12, 0x13, 0x14, 0x15].map((opcode) => [opcode, 'tail calls'] as const),
  ...[0x1c, 0x25, 0x26, 0xd0, 0xd1, 0xd2].map((opcode) => [opcode, 'reference types'] as const),
  [0xfb, 'garbage collection'],
  [0xfc, 'bulk memory or saturating conversion'],
  [0xfd, 'SIMD'],
  [0xfe, 'threads'],
])

/** What follows the first byte of an instruction; nothing, where it is not listed. */
const immediates = new Map<number, (code: Reader) => void>([
  ...[0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x41, 0x42].map(
    (opcode) => [opcode, (code: Reader) => code.skipLeb(1)] as const,
  ),
  [0x0e, (code) => code.skipLeb(code.leb() + 1)],
  [0x11, (code) => code.skipLeb(2)],
  ...range(0x28, 0x3e).map((opcode) => [opcode, (code: Reader) => code.skipLeb(2)] as const),
  [0x3f, (code) => code.skipLeb(1)],
  [0x40, (code) => code.skipLeb(1)],
  [0x43, (code) => code.skip(4)],
  [0x44, (code) => code.skip(8)],
])

/** Instructions that open a block: one byte says its type, unless it has several values. */
const blocks = [0x02, 0x03, 0x04]
const blockTypes = [0x40, 0x7c, 0x7d, 0x7e, 0x7f]
const valueTypes = [0x7c, 0x7d, 0x7e, 0x7f]

/**
 * What a module uses beyond the first version of WebAssembly, which is all that a Casper node takes: section by
 * section and instruction by instruction. Instructions that it does not know throw.
 */
export function findLaterFeatures(wasm: Uint8Array): Set<string> {
  const found = new Set<string>()
  const module = new Reader(wasm, 8)
  while (!module.atEnd()) {
    const id = module.byte()
    const section = new Reader(module.bytes(module.leb()))
    if (id === TYPES) readTypes(section, found)
    if ((id === TABLES || id === MEMORIES) && section.leb() > 1) found.add('several tables or memories')
    if (id >= DATA_COUNT) found.add(`section ${id}`)
    if (id === CODE) readFunctions(section, found)
  }
  return found
}

function readTypes(section: Reader, found: Set<string>): void {
  for (let left = section.leb(); left > 0; left--) {
    if (section.byte() !== 0x60) throw new Error('a type is no function')
    const parameters = [...section.bytes(section.leb())]
    const results = [...section.bytes(section.leb())]
    if (results.length > 1) found.add('several results')
    for (const type of [...parameters, ...results]) if (!valueTypes.includes(type)) found.add(`type ${type}`)
  }
}

function readFunctions(section: Reader, found: Set<string>): void {
  for (let left = section.leb(); left > 0; left--) {
    const code = new Reader(section.bytes(section.leb()))
    for (let locals = code.leb(); locals > 0; locals--) {
      code.skipLeb(1)
      const type = code.byte()
      if (!valueTypes.includes(type)) found.add(`type ${type}`)
    }
    while (!code.atEnd()) {
      const feature = readInstruction(code)
      if (feature === null) continue
      found.add(feature)
      break // what follows a later instruction is not known here
    }
  }
}

/** The later feature that the next instruction belongs to, or null. */
function readInstruction(code: Reader): string | null {
  const opcode = code.byte()
  const later = laterInstructions.get(opcode)
  if (later !== undefined) return later
  if (blocks.includes(opcode)) return blockTypes.includes(code.byte()) ? null : 'several results of a block'
  if (opcode > 0xbf) throw new Error(`instruction ${opcode} is not known`)
  immediates.get(opcode)?.(code)
  return null
}

/** Walks over bytes. */
class Reader {
  constructor(
    private readonly source: Uint8Array,
    private at = 0,
  ) {}

  atEnd(): boolean {
    return this.at >= this.source.length
  }

  byte(): number {
    const byte = this.source[this.at++]
    if (byte === undefined) throw new Error('the module ends too early')
    return byte
  }

  bytes(length: number): Uint8Array {
    this.at += length
    return this.source.subarray(this.at - length, this.at)
  }

  skip(length: number): void {
    this.at += length
  }

  /** An unsigned number of seven bits a byte. */
  leb(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }

  skipLeb(count: number): void {
    for (let left = count; left > 0; left--) while (this.byte() >= 0x80);
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
