import { describe, expect, test } from 'bun:test'
import { createWasmWriter } from '../../src/engine/wasm/wasmWriter.ts'
import { createEngineChain } from '../support/engine/engineChain.ts'
import { callWith, encodeSession, i32Const, type SessionModule } from '../support/engine/sessionModule.ts'

const account = new Uint8Array(32).fill(1)

/** The result of a session, without its gas. */
function run(session: SessionModule | Uint8Array, gasLimit = 1_000_000_000n) {
  const chain = createEngineChain()
  chain.addAccount(account)
  const wasm = session instanceof Uint8Array ? session : encodeSession(session)
  const { error, consumed, writes } = chain.execute({
    initiator: account,
    target: { kind: 'session', wasm, isInstallOrUpgrade: true },
    gasLimit,
  })
  return { error, consumed, written: writes.size }
}

const errorOf = (session: SessionModule | Uint8Array): string | null => run(session).error

const [block, loop, end, br, brTable, call, drop] = [0x02, 0x03, 0x0b, 0x0c, 0x0e, 0x10, 0x1a]
const NO_RESULT = 0x40

/** Returns a branch table with this number of labels and a default, which all lead to the end of the block. */
const branchTable = (labels: number): number[] => {
  const count = createWasmWriter().u32(labels).written()
  return [block, NO_RESULT, ...i32Const(0), brTable, ...count, ...Array(labels + 1).fill(0), end]
}

describe('infinite loops and recursion', () => {
  test('error: a loop ends at its gas limit', () => {
    expect(run({ code: [loop, NO_RESULT, br, 0, end] })).toEqual({
      error: 'Out of gas error',
      consumed: 1_000_000_000n,
      written: 0,
    })
  })

  test('behavior: with more gas it runs longer', () => {
    const { consumed } = run({ code: [loop, NO_RESULT, br, 0, end] }, 20_000_000_000n)
    expect(consumed).toBe(20_000_000_000n)
  })

  test('error: a function that calls itself traps', () => {
    expect(errorOf({ code: [call, 1], functions: [[call, 1, end]] })).toBe(
      'Interpreter error: trap: Code(Unreachable)',
    )
  })

  test('error: functions that call each other with many locals trap', () => {
    expect(errorOf({ code: [call, 0], locals: 400 })).toBe('Interpreter error: trap: Code(Unreachable)')
  })

  test('error: a function with more locals than the stack limit traps', () => {
    expect(errorOf({ code: [], locals: 501 })).toBe('Interpreter error: trap: Code(Unreachable)')
    expect(errorOf({ code: [], locals: 500 })).toBeNull()
  })
})

describe('code that traps', () => {
  const [i32Load, divU, divS, callIndirect] = [0x28, 0x6e, 0x6d, 0x11]
  const table = { initial: 2, maximum: 2 }
  const cases: [string, SessionModule, string][] = [
    ['an unreachable', { code: [0x00] }, 'Unreachable'],
    [
      'a read behind its memory',
      { code: [...i32Const(65_536), i32Load, 2, 0, drop] },
      'MemoryAccessOutOfBounds',
    ],
    ['a division by zero', { code: [...i32Const(1), ...i32Const(0), divU, drop] }, 'DivisionByZero'],
    [
      'a quotient that is too large',
      { code: [...i32Const(-(2 ** 31)), ...i32Const(-1), divS, drop] },
      'IntegerOverflow',
    ],
    [
      'a call behind its table',
      { code: [...i32Const(2), callIndirect, 0, 0], tables: [table] },
      'TableAccessOutOfBounds',
    ],
    [
      'a call of nothing',
      { code: [...i32Const(1), callIndirect, 0, 0], tables: [table] },
      'UnexpectedSignature',
    ],
    [
      'a call by another type',
      {
        imports: [['casper_random_bytes', 2, 1]],
        code: [...i32Const(0), callIndirect, 1, 0],
        tables: [table],
        elements: [0],
      },
      'UnexpectedSignature',
    ],
  ]
  test.each(cases)('error: %s', (_, session, code) => {
    expect(errorOf(session)).toBe(`Interpreter error: trap: Code(${code})`)
  })
})

describe('invalid pointers', () => {
  const imports = [
    ['casper_read_value', 3, 1],
    ['casper_random_bytes', 2, 1],
    ['casper_generic_hash', 5, 1],
  ] as const

  test('error: after the end of the memory', () => {
    const region = 'Interpreter error: trying to access region'
    expect(errorOf({ imports, code: [...callWith(0, 65_530, 33, 0), drop] })).toBe(
      `${region} [65530..65563] in memory [0..65536]`,
    )
    expect(errorOf({ imports, code: [...callWith(1, -1, 32), drop] })).toBe(
      `${region} [4294967295..4294967327] in memory [0..65536]`,
    )
  })

  test('error: a size that costs more than the gas limit', () => {
    expect(errorOf({ imports, code: [...callWith(0, 0, -1, 0), drop] })).toBe('Out of gas error')
  })

  test('behavior: a call may cost exactly the gas that is left', () => {
    const session = { imports, code: [...callWith(1, 0, 32), drop] }
    const { error, consumed } = run(session)
    expect([error, run(session, consumed).error]).toEqual([null, null])
    expect(run(session, consumed - 1n).error).toBe('Out of gas error')
  })

  test('behavior: an output outside of the memory returns an error code for hashes', () => {
    const trapUnless33 = [...i32Const(33), 0x47, 0x04, NO_RESULT, 0x00, end]
    expect(errorOf({ imports, code: [...callWith(2, 0, 1, 0, 65_530, 32), ...trapUnless33] })).toBeNull()
  })
})

describe('modules that a node rejects', () => {
  const preprocessing = 'Wasm preprocessing error:'
  const deserialization = `${preprocessing} Deserialization error:`
  const validation = `${preprocessing} Wasm validation error:`
  const memory = { initial: 1, maximum: null }
  const cases: [string, SessionModule | Uint8Array, string][] = [
    ['no module', Uint8Array.of(1, 2, 3, 4), `${deserialization} Invalid magic number at start of file`],
    ['nothing', new Uint8Array(), `${deserialization} Unexpected end of input`],
    ['no memory', { code: [], memories: [] }, `${preprocessing} Memory section should exist`],
    [
      'too much memory at first',
      { code: [], memories: [{ initial: 65, maximum: null }] },
      'Interpreter error: maximum limit 64 is less than minimum 65',
    ],
    [
      'too much memory at most',
      { code: [], memories: [{ initial: 1, maximum: 65 }] },
      'Interpreter error: Module requested too much memory',
    ],
    [
      'two memories',
      { code: [], memories: [memory, memory] },
      'Interpreter error: too many memory regions in index space: 2',
    ],
    [
      'a large table',
      { code: [], tables: [{ initial: 4097, maximum: null }] },
      `${validation} initial table size of 4097 exceeds allowed limit of 4096`,
    ],
    [
      'a table that may grow large',
      { code: [], tables: [{ initial: 1, maximum: 2 ** 32 - 1 }] },
      `${validation} maximum table size of 4294967295 exceeds allowed limit of 4096`,
    ],
    ['a missing function', { code: [call, 7] }, `${validation} missing function index 7`],
    [
      'a missing global',
      { code: [0x23, 0, drop] },
      `${validation} opcode for a global access refers to non-existing global index 0`,
    ],
    [
      'bulk memory',
      { code: [0xfc, 0x0b, 0x00] },
      `${deserialization} Bulk memory operations are not supported`,
    ],
    ['SIMD', { code: [0xfd, 0x0c] }, `${deserialization} SIMD operations are not supported`],
    ['atomics', { code: [0xfe, 0x03] }, `${deserialization} Atomic operations are not supported`],
    ['another opcode', { code: [0xd0, 0x70] }, `${deserialization} Encountered an unsupported operation`],
    [
      'floats',
      { code: [0x43, 0, 0, 0, 0, drop] },
      `${preprocessing} Encountered operation forbidden by gas rules. Consult instruction -> metering config map`,
    ],
    ['a stack that runs out', { code: [drop] }, `${preprocessing} Stack limiter error`],
    ['a start', { code: [], start: 0 }, 'Unsupported Wasm start'],
    ['a start that is missing', { code: [], start: 7 }, `${validation} missing function index 7`],
    [
      'a branch to one of many places',
      { code: branchTable(257) },
      `${validation} maximum br_table size of 257 exceeds allowed limit of 256`,
    ],
    [
      'the gas counter',
      { imports: [['gas', 1, 0]], code: [] },
      `${validation} module imports a non-existent function`,
    ],
    [
      'a function that a node does not have',
      { imports: [['casper_mint', 0, 0]], code: [] },
      "Interpreter error: host module doesn't export function with name casper_mint",
    ],
    [
      'a function of another type',
      { imports: [['casper_ret', 3, 0]], code: [] },
      'Interpreter error: Export casper_ret has a bad signature',
    ],
  ]
  test.each(cases)('error: %s', (_, session, message) => {
    const { error, consumed } = run(session)
    expect(error).toStartWith(message)
    expect(consumed).toBe(0n)
  })

  test('behavior: a branch table can have 256 labels and the default', () => {
    expect(errorOf({ code: branchTable(256) })).toBeNull()
  })

  test('behavior: sign extension is supported', () => {
    expect(errorOf({ code: [...i32Const(200), 0xc0, drop] })).toBeNull()
  })
})

describe('memory', () => {
  const [memorySize, memoryGrow, i32Store, i32Load, ne] = [0x3f, 0x40, 0x36, 0x28, 0x47]
  /** Traps unless the two values on the stack are equal. */
  const same = [ne, 0x04, NO_RESULT, 0x00, end]

  test('behavior: it grows up to 64 pages', () => {
    expect(errorOf({ code: [...i32Const(63), memoryGrow, 0, ...i32Const(1), ...same] })).toBeNull()
    expect(errorOf({ code: [...i32Const(64), memoryGrow, 0, ...i32Const(-1), ...same] })).toBeNull()
  })

  test('behavior: growing it needs three values on the stack', () => {
    const grow = [...i32Const(1), memoryGrow, 0, drop]
    expect(errorOf({ code: grow, locals: 496 })).toBeNull()
    expect(errorOf({ code: grow, locals: 497 })).toBe('Interpreter error: trap: Code(Unreachable)')
  })

  test('behavior: every page costs 900 motes', () => {
    const grow = (pages: number) => run({ code: [...i32Const(pages), memoryGrow, 0, drop] }).consumed
    expect(grow(11) - grow(1)).toBe(9_000n)
  })

  test('behavior: a call starts with zeroed memory', () => {
    const chain = createEngineChain()
    chain.addAccount(account)
    const code = [
      ...[...i32Const(64), i32Load, 2, 0, ...i32Const(0), ...same],
      ...[...i32Const(64), ...i32Const(7), i32Store, 2, 0],
      ...[memorySize, 0, ...i32Const(1), ...same, ...i32Const(1), memoryGrow, 0, drop],
    ]
    const target = { kind: 'session', wasm: encodeSession({ code }), isInstallOrUpgrade: true } as const
    for (let rest = 4; rest > 0; rest--)
      expect(chain.execute({ initiator: account, target }).error).toBeNull()
  })

  test('behavior: a block that is entered without a branch is charged with the code before it', () => {
    const nested = run({ code: [block, NO_RESULT, block, NO_RESULT, end, end] }).consumed
    expect(nested).toBe(510n)
  })
})
