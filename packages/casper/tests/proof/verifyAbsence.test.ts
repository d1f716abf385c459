import { describe, expect, test } from 'bun:test'
import { blake2b, u8, u32 } from '@wattfeed/testing/bytesrepr'
import { hashTrieElement } from '../../src/proof/trieElement.ts'
import {
  byte,
  bytes,
  countingBytes,
  createWorld,
  expectProofsDecide,
  expectWalksDecide,
  newKey,
  pick,
  probe,
  proofOf,
  random,
  truth,
  verdictOf,
  walkOf,
  worldOf,
} from './absenceWorld.ts'

describe('a trie of 5,000 keys', () => {
  const world = createWorld(5_000)

  test('default: a walk decides every key', () => expectWalksDecide(world, 150))

  test('default: a proof of any other key never gives a false verdict', () =>
    expectProofsDecide(world, 150, 15))
})

describe('changed evidence', () => {
  const world = createWorld(2_000)
  const other = createWorld(2_000)

  /** Keys whose walks end in each way: at an empty slot, in an extension, at another leaf, at the leaf. */
  const probes = Array.from({ length: 60 }, () => probe(world))
  const walks = new Map(probes.map((key) => [key, walkOf(world, key).trieElements]))

  const flipped = (hex: string, offset: number): string => {
    const start = 2 * (offset % (hex.length / 2))
    const changed = Number.parseInt(hex.slice(start, start + 2), 16) ^ (1 + (byte() % 255))
    return hex.slice(0, start) + u8(changed) + hex.slice(start + 2)
  }

  const changes: [string, (elements: string[]) => string[]][] = [
    ['a byte', (elements) => elements.with(-1, flipped(elements.at(-1) ?? '', Math.floor(random() * 1e6)))],
    [
      'a byte of the first',
      (elements) => elements.with(0, flipped(elements[0] ?? '', Math.floor(random() * 1e6))),
    ],
    ['the last byte missing', (elements) => elements.with(-1, elements.at(-1)?.slice(0, -2) ?? '')],
    ['a byte too many', (elements) => elements.with(-1, `${elements.at(-1)}00`)],
    ['the last element missing', (elements) => elements.slice(0, -1)],
    ['the first element missing', (elements) => elements.slice(1)],
    ['an element twice', (elements) => [...elements, elements.at(-1) ?? '']],
    ['the first element twice', (elements) => [elements[0] ?? '', ...elements]],
    ['another order', (elements) => elements.toReversed()],
    ['no elements', () => []],
    ['an empty element', (elements) => elements.with(-1, '')],
    ['no hex', (elements) => elements.with(-1, 'xyz')],
    ['too many elements', (elements) => Array.from({ length: 40 }, () => elements[0] ?? '')],
  ]
  test.each(changes)('error: %s', (_, change) => {
    for (const [key, trieElements] of walks) {
      const changed = change(trieElements)
      if (Bun.deepEquals(changed, trieElements)) continue
      expect(verdictOf(key, world.root, { trieElements: changed })).toStartWith('trie element: ')
    }
  })

  test('error: every byte of a walk counts', () => {
    const [key, trieElements] = [...walks].find(([each, walk]) => !world.has(each) && walk.length > 2) ?? [
      '',
      [],
    ]
    const last = trieElements.at(-1) ?? ''
    for (let offset = 0; offset < last.length / 2; offset++)
      expect(
        verdictOf(key, world.root, { trieElements: trieElements.with(-1, flipped(last, offset)) }),
      ).toStartWith('trie element: ')
  })

  test('error: evidence of another root', () => {
    for (const key of probes) {
      expect(verdictOf(key, world.root, walkOf(other, key))).toStartWith('trie element: element 0: the hash')
      expect(verdictOf(key, world.root, proofOf(other, pick(other.keys)))).toStartWith('state root: ')
    }
  })

  test('error: the walk to another key does not show an absence, unless both end at the same element', () => {
    for (const key of probes) {
      const verdict = verdictOf(key, world.root, { trieElements: walks.get(pick(probes)) ?? [] })
      expect(verdict === truth(world, key) || verdict.startsWith('trie element: ')).toBeTrue()
    }
  })

  test('error: a changed proof of another key', () => {
    for (const key of probes) {
      const merkleProof = world.state.prove(world.root, pick(world.keys))?.toHex() ?? ''
      for (const changed of [
        flipped(merkleProof, Math.floor(random() * 1e6)),
        merkleProof.slice(0, -2),
        `${merkleProof}00`,
        merkleProof.slice(0, 60),
        '',
        'xyz',
        `02${merkleProof.slice(2)}`,
        `01000000ff${merkleProof.slice(10)}`,
      ])
        expect(verdictOf(key, world.root, { merkleProof: changed })).toMatch(
          /^(encoding|key|path|state root): /,
        )
    }
  })

  test('error: more bytes than the limit', () => {
    const trieElements = ['00'.repeat(9 * 1024 * 1024), '00'.repeat(9 * 1024 * 1024)]
    expect(verdictOf(newKey(), world.root, { trieElements })).toBe(
      'trie element: 18874368 bytes exceed the limit of 16777216',
    )
  })
})

test('behavior: in an extension, the proof of another key shows the absence of a key that leaves it, and of no other', () => {
  const [start, end] = ['aa'.repeat(20), 'bb'.repeat(11)]
  const [one, other] = [`09${start}01${end}`, `09${start}02${end}`]
  const world = worldOf([one, other, `09${'cc'.repeat(32)}`])
  const evidence = proofOf(world, one)
  expect(verdictOf(other, world.root, evidence)).toBe('not shown')
  expect(verdictOf(`09${start}03${end}`, world.root, evidence)).toBe('absent')
  expect(verdictOf(`09${'aa'.repeat(10)}${'dd'.repeat(22)}`, world.root, evidence)).toBe('absent')
})

test('behavior: a key of a kind with several lengths is not shown', () => {
  const world = createWorld(100)
  for (const key of [`0f00${bytes(32)}`, `1201${bytes(32)}`, `1301${bytes(64)}00`, `170000${bytes(64)}`])
    expect(verdictOf(key, world.root, walkOf(world, key))).toBe('not shown')
})

test('behavior: nothing is stored in an empty state', () => {
  const { state } = createWorld(0)
  const trieElements = [state.element(state.emptyRootHash)?.toHex() ?? '']
  expect(verdictOf(newKey(), state.emptyRootHash, { trieElements })).toBe('absent')
})

describe('a trie that no node builds', () => {
  const key = `01${'22'.repeat(32)}`
  const node = (pointers: Record<number, string>): string =>
    `01${Array.from({ length: 256 }, (_, slot) => (pointers[slot] === undefined ? '00' : `01${pointers[slot]}`)).join('')}`
  const check = (...trieElements: string[]): string =>
    verdictOf(key, blake2b(trieElements[0] ?? ''), { trieElements })
  const leaf = (ofKey: string): string => `00${ofKey}00${u32(1)}0703`

  test('default: a leaf of the key, and a leaf of another key with the same start', () => {
    expect(check(node({ 1: `00${blake2b(leaf(key))}` }), leaf(key))).toBe('present')
    const near = leaf(`01${'22'.repeat(31)}23`)
    expect(check(node({ 1: `00${blake2b(near)}` }), near)).toBe('absent')
  })

  const broken: [string, string, (next: string) => string, string][] = [
    [
      'a leaf that its key does not lead to',
      leaf(`03${'22'.repeat(32)}`),
      (next) => `00${next}`,
      'the leaf is not on the path of its key',
    ],
    [
      'a leaf behind a pointer to a node',
      leaf(key),
      (next) => `01${next}`,
      'the kind does not match the pointer',
    ],
    [
      'a node behind a pointer to a leaf',
      node({}),
      (next) => `00${next}`,
      'the kind does not match the pointer',
    ],
    [
      'a leaf shorter than its key',
      `0001${'22'.repeat(31)}`,
      (next) => `00${next}`,
      'the leaf is shorter than its key',
    ],
    [
      'an extension without bytes',
      `02${u32(0)}01${'33'.repeat(32)}`,
      (next) => `01${next}`,
      'the extension has no bytes',
    ],
    ['an element of an unknown kind', `03${u32(0)}`, (next) => `01${next}`, 'unknown tag 3'],
    [
      'a node that ends early',
      node({}).slice(0, -2),
      (next) => `01${next}`,
      'expected 1 bytes at offset 256, input has 256',
    ],
    ['a node of 257 slots', `${node({})}00`, (next) => `01${next}`, '1 trailing bytes'],
    [
      'a slot that is neither empty nor occupied',
      `${node({}).slice(0, -2)}02`,
      (next) => `01${next}`,
      'expected slot flag 0 or 1, got 2',
    ],
    [
      'a pointer of an unknown kind',
      `02${u32(1)}2202${'33'.repeat(32)}`,
      (next) => `01${next}`,
      'a pointer leads neither to a leaf nor to a node',
    ],
  ]
  test.each(broken)('error: %s', (_, element, pointer, rule) => {
    expect(check(node({ 1: pointer(blake2b(element)) }), element)).toBe(`trie element: element 1: ${rule}`)
  })

  test('error: a node below the last byte of the key', () => {
    const deep = [node({})]
    for (let depth = 32; depth >= 0; depth--)
      deep.unshift(node({ [depth === 0 ? 1 : 0x22]: `01${blake2b(deep[0] ?? '')}` }))
    expect(check(...deep)).toBe('trie element: element 33: the path is longer than the key')
  })
})

describe('elements of more than 8 MiB', () => {
  // Computed by `Digest::hash_into_chunks_if_necessary` of casper-types 6.1.0: byte n is n modulo 251.
  const hashes: [number, string][] = [
    [8_388_608, '74c7cd7c0542869d5cd8443960d867245a01d0a0968238d8c92f48f75775e7ff'],
    [8_388_609, 'f93e5a5edd56d772cd84ede6f7413c7fdf450dc7d1f2f9934547711f3ba21a01'],
  ]

  test.each(hashes)('default: the hash of %d bytes', (length, expected) => {
    expect(hashTrieElement(countingBytes(length)).toHex()).toBe(expected)
  })
})
