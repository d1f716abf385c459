import { describe, expect, test } from 'bun:test'
import { verifyProof } from '@wattfeed/casper'
import { walkElements } from '@wattfeed/casper/testing/walkElements'
import { blake2b, list, u8, u32 } from '@wattfeed/testing/bytesrepr'
import { fromHex } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { createStateTrie, type StateTrie, UnknownRootError } from '../../src/state/stateTrie.ts'
import { KeyPrefixError } from '../../src/state/updateTrie.ts'
import { naiveRoot } from './naiveRoot.ts'

type Writes = (readonly [string, string | null])[]

/** A stored `CLValue` of one byte, because proofs contain stored values. */
const value = (byte: number): string => `00${list(u8(byte))}03`

const bytesOf = (hex: string | null): Uint8Array | null => (hex === null ? null : fromHex(hex))

const commit = (state: StateTrie, root: string, writes: Writes): string =>
  state.commit(
    root,
    writes.map(([key, hex]) => [key, bytesOf(hex)] as const),
  )

/** Returns the root after writing all contents at once. */
function rootOf(contents: Record<string, string>): string {
  const state = createStateTrie()
  return commit(state, state.emptyRootHash, Object.entries(contents))
}

const hexOf = (bytes: Uint8Array | null): string | null => bytes?.toHex() ?? null

/** A few byte values, so that keys share prefixes; the first byte gives the length of a key. */
const anyKey = fc
  .integer({ min: 0, max: 4 })
  .chain((length) =>
    fc
      .array(fc.constantFrom(0, 1, 255), { minLength: length, maxLength: length })
      .map((bytes) => Uint8Array.of(length, ...bytes).toHex()),
  )

const anyWrites: fc.Arbitrary<Writes> = fc.array(
  fc.tuple(anyKey, fc.oneof(fc.constant(null), fc.nat({ max: 3 }).map(value))),
  { maxLength: 12 },
)

describe('createStateTrie', () => {
  test('default: the root of an empty state', () => {
    const state = createStateTrie()
    expect(state.emptyRootHash).toBe(blake2b(`01${'00'.repeat(256)}`))
    expect(state.emptyRootHash).toBe(naiveRoot(new Map()))
    expect(state.get(state.emptyRootHash, '00')).toBeNull()
    expect(state.prove(state.emptyRootHash, '00')).toBeNull()
    expect(commit(state, state.emptyRootHash, [['00', null]])).toBe(state.emptyRootHash)
  })

  const shapes: [string, Record<string, string>][] = [
    ['one leaf', { '00aa': value(1) }],
    ['two leaves below the root', { '00aa': value(1), '01aa': value(2) }],
    ['two leaves below a branch', { '0000': value(1), '0001': value(2) }],
    ['two leaves below an extension', { '0000000000': value(1), '0000000001': value(2) }],
    ['an extension between two branches', { '000000': value(1), '000001': value(2), '01': value(3) }],
    ['an extension below an extension', { '00000000': value(1), '00000001': value(2), '00010000': value(3) }],
    [
      'keys of 33, 34 and 9 bytes',
      {
        [`01${'aa'.repeat(32)}`]: value(1),
        [`02${'aa'.repeat(33)}`]: value(2),
        [`05${'00'.repeat(8)}`]: value(3),
      },
    ],
    [
      'every byte',
      Object.fromEntries(Array.from({ length: 256 }, (_, byte) => [`07${u8(byte)}`, value(byte)])),
    ],
  ]
  test.each(shapes)('default: %s', (_, contents) => {
    expect(rootOf(contents)).toBe(naiveRoot(new Map(Object.entries(contents))))
  })

  test('behavior: any writes, in any order, any number at a time, any prunes', () => {
    fc.assert(
      fc.property(fc.array(anyWrites, { maxLength: 8 }), (commits) => {
        const state = createStateTrie()
        const contents = new Map<string, string>()
        const known: { root: string; contents: Map<string, string> }[] = []
        let root = state.emptyRootHash
        for (const writes of commits) {
          root = commit(state, root, writes)
          for (const [key, hex] of writes) hex === null ? contents.delete(key) : contents.set(key, hex)
          expect(root).toBe(naiveRoot(contents))
          known.push({ root, contents: new Map(contents) })
        }
        for (const { root, contents } of known) expectContents(state, root, contents)
      }),
    )
  })

  /** Checks that every possible key reads correctly, and that every existing one is proven. */
  function expectContents(state: StateTrie, root: string, contents: ReadonlyMap<string, string>): void {
    for (const key of new Set([...contents.keys(), '00', '0100', '01ff', '020001', '04ffffffff'])) {
      expect(hexOf(state.get(root, key))).toBe(contents.get(key) ?? null)
      const merkleProof = hexOf(state.prove(root, key))
      expect(merkleProof === null).toBe(!contents.has(key))
      if (merkleProof === null) continue
      const { leaf } = verifyProof({ merkleProof, stateRootHash: root, key: fromHex(key), what: key })
      expect(hexOf(leaf)).toBe(`${key}${contents.get(key)}`)
    }
  }

  test('behavior: single writes give the same root as one batch', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyKey, { maxLength: 30 }), fc.nat(), (keys, turn) => {
        const state = createStateTrie()
        const writes = keys.map((key, index): [string, string] => [key, value(index)])
        const turned = [
          ...writes.slice(turn % (keys.length + 1)),
          ...writes.slice(0, turn % (keys.length + 1)),
        ]
        const root = turned.reduce((root, write) => commit(state, root, [write]), state.emptyRootHash)
        expect(root).toBe(rootOf(Object.fromEntries(writes)))
        // After pruning all keys one by one, the trie is empty.
        expect(keys.reduce((root, key) => commit(state, root, [[key, null]]), root)).toBe(state.emptyRootHash)
      }),
    )
  })

  test('behavior: the last write of a key applies', () => {
    const state = createStateTrie()
    const twice: Writes = [
      ['00', value(1)],
      ['00', value(2)],
      ['01', value(3)],
      ['01', null],
    ]
    expect(commit(state, state.emptyRootHash, twice)).toBe(rootOf({ '00': value(2) }))
  })

  test('behavior: pruning a missing key has no effect', () => {
    const contents = { '000000': value(1), '000001': value(2), '0100': value(3) }
    const state = createStateTrie()
    const root = commit(state, state.emptyRootHash, Object.entries(contents))
    for (const key of ['000002', '00ff00', '0101', '02', '0001'])
      expect(commit(state, root, [[key, null]])).toBe(root)
  })

  test('behavior: prefixes and extensions of a key have no value', () => {
    const contents = { '00aabb': value(1), '01000000': value(2), '01000001': value(3) }
    const state = createStateTrie()
    const root = commit(state, state.emptyRootHash, Object.entries(contents))
    for (const key of [
      '',
      '00',
      '00aa',
      '00aabbcc',
      '01',
      '0100',
      '010000',
      '0100000100',
      '01ff0001',
      '01ff',
    ])
      expect([key, state.get(root, key), state.prove(root, key)]).toEqual([key, null, null])
  })

  test('behavior: a commit can start from any root', () => {
    const state = createStateTrie()
    const base = commit(state, state.emptyRootHash, [['00', value(1)]])
    const left = commit(state, base, [['01', value(2)]])
    const right = commit(state, base, [['01', value(3)]])
    expect([base, left, right].map((root) => hexOf(state.get(root, '01')))).toEqual([
      null,
      value(2),
      value(3),
    ])
  })

  test('behavior: changing written or returned bytes does not change the state', () => {
    const state = createStateTrie()
    const written = fromHex(value(1))
    const root = state.commit(state.emptyRootHash, [['00', written]])
    written.fill(0)
    state.get(root, '00')?.fill(0)
    expect(hexOf(state.get(root, '00'))).toBe(value(1))
  })

  test('behavior: a fork has the same roots, and later writes are independent', () => {
    const state = createStateTrie()
    const root = commit(state, state.emptyRootHash, [['0001', value(1)]])
    const fork = state.fork()
    const own = commit(state, root, [['0001', value(2)]])
    const others = commit(fork, root, [['0001', value(3)]])
    expect([fork.get(root, '0001'), fork.get(others, '0001')].map(hexOf)).toEqual([value(1), value(3)])
    expect([state.has(own), state.has(others), fork.has(own)]).toEqual([true, false, false])
  })

  test('behavior: only the newest roots stay readable', () => {
    const state = createStateTrie(3)
    const roots: string[] = []
    for (const byte of [1, 2, 3, 4])
      roots.push(commit(state, roots.at(-1) ?? state.emptyRootHash, [['00', value(byte)]]))
    expect([state.emptyRootHash, ...roots].map(state.has)).toEqual([false, false, true, true, true])
    expect(roots.slice(1).map((root) => hexOf(state.get(root, '00')))).toEqual([value(2), value(3), value(4)])
  })

  test('behavior: a recurring root becomes the newest', () => {
    const state = createStateTrie(2)
    const first = commit(state, state.emptyRootHash, [['00', value(1)]])
    const second = commit(state, first, [['00', value(2)]])
    expect(commit(state, second, [['00', value(1)]])).toBe(first)
    const third = commit(state, first, [['00', value(3)]])
    expect([first, second, third].map(state.has)).toEqual([true, false, true])
  })

  test('behavior: the newest root is always readable', () => {
    const state = createStateTrie(0)
    const root = commit(state, state.emptyRootHash, [['00', value(1)]])
    expect(hexOf(state.get(root, '00'))).toBe(value(1))
  })

  test('error: an unknown root', () => {
    const state = createStateTrie()
    const unknown = '5c'.repeat(32)
    const error = new UnknownRootError({ rootHash: unknown })
    expect(state.has(unknown)).toBeFalse()
    expect(() => state.get(unknown, '00')).toThrow(error)
    expect(() => state.prove(unknown, '00')).toThrow(error)
    expect(() => state.commit(unknown, [])).toThrow(error)
    expect({ ...error, message: error.message }).toEqual({
      code: 'unknown_root',
      retryable: false,
      rootHash: unknown,
      message: `unknown state root ${unknown}; read at a newer block`,
    })
  })

  test('error: a key that is a prefix of another', () => {
    const state = createStateTrie()
    const writes: Writes = [
      ['0001', value(1)],
      ['000102', value(2)],
    ]
    expect(() => commit(state, state.emptyRootHash, writes)).toThrow(new KeyPrefixError({ key: '0001' }))
    const root = commit(state, state.emptyRootHash, writes.slice(1))
    expect(() => commit(state, root, writes)).toThrow(new KeyPrefixError({ key: '0001' }))
    const other = commit(state, state.emptyRootHash, writes.slice(0, 1))
    expect(() => commit(state, other, writes.slice(1))).toThrow(new KeyPrefixError({ key: '0001' }))
    // Earlier contents stay readable.
    expect(hexOf(state.get(root, '000102'))).toBe(value(2))
  })
})

describe('elements of the trie', () => {
  const contents: Writes = Array.from({ length: 250 }, (_, index) => [
    `0${index % 3}${blake2b(u32(index))}`,
    value(index % 256),
  ])

  test('default: every element from the root down hashes to the pointer that leads to it', () => {
    const state = createStateTrie()
    const root = commit(state, state.emptyRootHash, contents)
    const elements = new Map<string, Uint8Array>()
    for (const [key] of contents)
      for (const element of walkElements(state, root, key)) elements.set(blake2b(element), fromHex(element))
    expect(elements.size).toBeGreaterThan(contents.length)
    // Another finder answers in another order, and so from a search.
    const fresh = state.fork()
    for (const [hash, element] of [...elements].reverse()) expect(fresh.element(hash)).toEqual(element)
  })

  test('behavior: elements of older roots, until their root is no longer retained', () => {
    const state = createStateTrie(2)
    const first = commit(state, state.emptyRootHash, contents)
    const second = commit(state, first, [[contents[0]?.[0] ?? '', null]])
    expect(state.element(first)?.length).toBe(1 + 256 + 3 * 33)
    commit(state, second, [['05', value(1)]])
    expect(state.element(first)).toBeNull()
  })

  test('behavior: null for a hash that no element has', () => {
    const state = createStateTrie()
    commit(state, state.emptyRootHash, contents)
    expect(state.element('0'.repeat(64))).toBeNull()
  })
})
