import { describe, expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import {
  type RecordedProof,
  recordedProofs,
  verifyRecorded,
} from '@wattfeed/casper-devnet/testing/recordedProofs'
import { blake2b, list, string, u8, u32 } from '@wattfeed/testing/bytesrepr'
import { createRandom } from '@wattfeed/testing/random'
import fc from 'fast-check'
import { MerkleProofError, type ProofLink } from '../../src/proof/merkleProofError.ts'
import {
  assertServedValue,
  verifyDictionaryItem,
  verifyMerkleProof,
} from '../../src/proof/verifyMerkleProof.ts'

/** Why a proof is rejected, or null if it is valid. Any other error fails the test. */
function brokenLink(proof: RecordedProof): ProofLink | null {
  try {
    verifyRecorded(proof)
    return null
  } catch (error) {
    if (error instanceof MerkleProofError) return error.link
    throw error
  }
}

function find(is: (proof: RecordedProof) => boolean): RecordedProof {
  const found = recordedProofs.find(is)
  if (found === undefined) throw new Error('no such proof is recorded')
  return found
}

const kindOf = ({ storedValue }: RecordedProof): string | undefined => Object.keys(Object(storedValue))[0]

const contract = find((proof) => kindOf(proof) === 'Contract')
const contractPackage = find((proof) => kindOf(proof) === 'ContractPackage')
const item = find(({ asked }) => 'itemKey' in asked)

/** Changes the bits of `mask` in one byte of the proof. */
function flip(proof: RecordedProof, offset: number, mask: number): RecordedProof {
  const bytes = Buffer.from(proof.merkleProof, 'hex')
  bytes[offset] = (bytes[offset] ?? 0) ^ mask
  return { ...proof, merkleProof: bytes.toString('hex') }
}

const bytesOf = ({ merkleProof }: RecordedProof): number => merkleProof.length / 2

/** Removes the parts of a stored value that no proof covers. */
function withoutParsed(storedValue: unknown): unknown {
  const { CLValue, ...others } = Object(storedValue)
  if (CLValue === undefined) return others
  const { parsed: _, ...proven } = CLValue
  return { CLValue: proven }
}

describe('default', () => {
  test('default: every recorded proof is valid, and proves the served value', () => {
    expect(recordedProofs.length).toBe(375)
    for (const proof of recordedProofs) {
      const proven = verifyRecorded(proof)
      expect<unknown>(proven).toEqual(withoutParsed(proof.storedValue))
      assertServedValue(proof.storedValue, proven, 'item')
    }
  })

  test('behavior: the recordings hold every kind of value that is decoded', () => {
    const kinds = new Set(recordedProofs.map(kindOf))
    expect([...kinds].sort()).toEqual(['Account', 'CLValue', 'Contract', 'ContractPackage', 'EraInfo'])
  })

  test('behavior: hex digits may be upper-case', () => {
    const upper = {
      merkleProof: item.merkleProof.toUpperCase(),
      stateRootHash: item.stateRootHash.toUpperCase(),
    }
    expect(verifyRecorded({ ...item, ...upper })).toEqual(verifyRecorded(item))
  })
})

describe('a changed proof', () => {
  test.each([
    { name: 'a package', proof: contractPackage, step: 1 },
    // Their proofs are longer. The steps are no divisors of the length of a hash, so every place of one is met.
    { name: 'a contract', proof: contract, step: 3 },
    { name: 'a dictionary item', proof: item, step: 13 },
  ])('error: every byte of the proof of $name counts', ({ proof, step }) => {
    const random = createRandom(7)
    const passing = Array.from(
      { length: Math.ceil(bytesOf(proof) / step) },
      (_, index) => index * step,
    ).filter((offset) => brokenLink(flip(proof, offset, 1 + Math.floor(random() * 255))) === null)
    expect(passing).toEqual([])
  })

  test('error: a byte anywhere in any recorded proof counts', () => {
    const random = createRandom(11)
    for (const proof of recordedProofs) {
      const offset = Math.floor(random() * bytesOf(proof))
      expect(brokenLink(flip(proof, offset, 1 << Math.floor(random() * 8)))).not.toBeNull()
    }
  })

  test('error: each link is named', () => {
    const { merkleProof } = item
    const broken = (changes: Partial<RecordedProof>): ProofLink | null => brokenLink({ ...item, ...changes })
    expect(broken({ merkleProof: `00${merkleProof.slice(2)}` })).toBe('encoding')
    expect(brokenLink(flip(item, 5, 1))).toBe('key')
    expect(broken({ stateRootHash: '0'.repeat(64) })).toBe('state root')
    expect(broken({ asked: { key: `hash-${'0'.repeat(64)}` } })).toBe('key')
  })

  test('error: the facts of a refusal', () => {
    const { merkleProof } = item
    const call = () =>
      verifyMerkleProof({ merkleProof, stateRootHash: '', key: `hash-${'0'.repeat(64)}`, what: 'it' })
    expect(call).toThrow(new MerkleProofError('it', 'key', 'the proof is for another key'))
    const error = new MerkleProofError('it', 'key', 'the proof is for another key')
    expect({ ...error, name: error.name, message: error.message }).toEqual({
      name: 'MerkleProofError',
      message: 'it is not proven: key: the proof is for another key; try another node',
      code: 'merkle_proof',
      retryable: true,
      what: 'it',
      link: 'key',
      rule: 'the proof is for another key',
    })
  })

  test('error: a proof for another key', () => {
    for (const [index, proof] of recordedProofs.entries()) {
      const { merkleProof, asked } = recordedProofs[(index + 1) % recordedProofs.length] ?? proof
      // The account is recorded twice, by two methods, and the era summary of two networks.
      if (!Bun.deepEquals(asked, proof.asked)) expect(brokenLink({ ...proof, merkleProof })).toBe('key')
    }
  })

  test('error: an older or newer state root', () => {
    const roots = [...new Set(recordedProofs.map(({ stateRootHash }) => stateRootHash))]
    expect(roots.length).toBe(3)
    for (const proof of recordedProofs.slice(-3))
      for (const stateRootHash of roots.filter((root) => root !== proof.stateRootHash))
        expect(brokenLink({ ...proof, stateRootHash })).toBe('state root')
  })

  test('error: bytes that are missing or too many, no hex, two proofs', () => {
    const { merkleProof } = contractPackage
    for (const changed of [
      '',
      '01000000',
      merkleProof.slice(0, -2),
      `${merkleProof}00`,
      merkleProof.slice(1),
    ])
      expect(brokenLink({ ...contractPackage, merkleProof: changed })).toBe('encoding')
    for (const changed of ['zz', `${merkleProof.slice(0, -2)}zz`, ` ${merkleProof} `, `0x${merkleProof}`])
      expect(brokenLink({ ...contractPackage, merkleProof: changed })).toBe('encoding')
    const twice = `02000000${merkleProof.slice(8)}${merkleProof.slice(8)}`
    expect(brokenLink({ ...contractPackage, merkleProof: twice })).toBe('encoding')
  })

  test('error: a proof of more bytes than any value takes', () => {
    const merkleProof = item.merkleProof + '00'.repeat(256 * 1024)
    expect(() => verifyRecorded({ ...item, merkleProof })).toThrow('bytes exceed the limit of 262144')
  })
})

describe('a trie of one node', () => {
  const key = `11${'22'.repeat(31)}`
  const leaf = `01${key}00${u32(1)}07${u8(3)}`
  const pointerBlock = (pointers: Record<number, string>): string =>
    Array.from({ length: 256 }, (_, index) =>
      pointers[index] === undefined ? '00' : `01${pointers[index]}`,
    ).join('')
  const rootOf = (hole: number, others: Record<number, string> = {}): string =>
    blake2b(`01${pointerBlock({ ...others, [hole]: `00${blake2b(`00${leaf}`)}` })}`)
  const other = `00${'33'.repeat(32)}`
  const step = (hole: number, pointers: [number, string][]): string =>
    `00${u8(hole)}${u32(pointers.length)}${pointers.map(([index, pointer]) => u8(index) + pointer).join('')}`
  const proofOf = (...steps: string[]): string => u32(1) + leaf + u32(steps.length) + steps.join('')
  const check = (merkleProof: string, stateRootHash: string): ProofLink | null =>
    brokenLink({ asked: { key: `hash-${key}` }, merkleProof, stateRootHash, storedValue: null })

  test('default: the only leaf of a trie', () => {
    expect(check(proofOf(step(1, [])), rootOf(1))).toBeNull()
  })

  test('behavior: pointers on both sides of the hole', () => {
    const others = { 0: other, 2: other, 255: other }
    const pointers: [number, string][] = [
      [0, other],
      [2, other],
      [255, other],
    ]
    expect(check(proofOf(step(1, pointers)), rootOf(1, others))).toBeNull()
  })

  test('error: a leaf that hangs where its key does not lead', () => {
    expect(check(proofOf(step(2, [])), rootOf(2))).toBe('path')
  })

  test('error: pointers out of order, twice, or in the hole', () => {
    const cases: [number, string][][] = [
      [
        [2, other],
        [0, other],
      ],
      [
        [2, other],
        [2, other],
      ],
      [[1, other]],
    ]
    for (const pointers of cases) expect(check(proofOf(step(1, pointers)), rootOf(1))).toBe('encoding')
  })

  test('error: a pointer of no kind, a step of no kind', () => {
    expect(check(proofOf(step(1, [[0, `02${'33'.repeat(32)}`]])), rootOf(1))).toBe('encoding')
    expect(check(proofOf(`02${u32(0)}`), rootOf(1))).toBe('encoding')
  })

  test('error: a leaf without a step, an extension of no bytes, more steps than the key has bytes', () => {
    expect(check(proofOf(), blake2b(`00${leaf}`))).toBe('encoding')
    expect(check(proofOf(step(1, []), `01${u32(0)}`), rootOf(1))).toBe('path')
    expect(check(proofOf(...Array.from({ length: 34 }, () => step(1, []))), rootOf(1))).toBe('encoding')
  })

  test('error: more pointers than a node has', () => {
    const pointers = Array.from({ length: 256 }, (_, index): [number, string] => [index, other])
    expect(check(proofOf(step(1, pointers)), rootOf(1))).toBe('encoding')
  })
})

describe('any input', () => {
  const anyProof = fc.constantFrom(...recordedProofs)

  test('error: text that is not a proof', () => {
    const anyHex = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('hex'))
    fc.assert(
      fc.property(anyProof, fc.oneof(anyHex, fc.string()), (proof, merkleProof) => {
        expect(brokenLink({ ...proof, merkleProof })).not.toBeNull()
      }),
    )
  })

  test('error: trailing bytes after a valid start', () => {
    fc.assert(
      fc.property(
        anyProof,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.uint8Array({ maxLength: 200 }),
        (proof, share, tail) => {
          const start = proof.merkleProof.slice(0, 2 * Math.floor(share * bytesOf(proof)))
          const merkleProof = start + Buffer.from(tail).toString('hex')
          expect(
            merkleProof === proof.merkleProof || brokenLink({ ...proof, merkleProof }) !== null,
          ).toBeTrue()
        },
      ),
    )
  })

  test('error: a piece cut out, doubled or overwritten', () => {
    const anyCut = fc.record({
      at: fc.nat(),
      length: fc.integer({ min: 1, max: 40 }),
      by: fc.uint8Array({ maxLength: 40 }),
    })
    fc.assert(
      fc.property(anyProof, anyCut, (proof, { at, length, by }) => {
        const start = 2 * (at % bytesOf(proof))
        const { merkleProof: original } = proof
        const merkleProof =
          original.slice(0, start) + Buffer.from(by).toString('hex') + original.slice(start + 2 * length)
        expect(merkleProof === original || brokenLink({ ...proof, merkleProof }) !== null).toBeTrue()
      }),
    )
  })

  test('error: counts and lengths of up to 4,294,967,295', () => {
    fc.assert(
      fc.property(anyProof, fc.nat(), fc.integer({ min: 1, max: 0xffffffff }), (proof, at, count) => {
        const start = 2 * (at % (bytesOf(proof) - 4))
        const { merkleProof: original } = proof
        const merkleProof = original.slice(0, start) + u32(count) + original.slice(start + 8)
        expect(merkleProof === original || brokenLink({ ...proof, merkleProof }) !== null).toBeTrue()
      }),
    )
  })
})

test('error: an invalid key is the fault of the caller', () => {
  const { merkleProof, stateRootHash } = item
  expect(() => verifyMerkleProof({ merkleProof, stateRootHash, key: 'hash-', what: 'it' })).toThrow(
    new DecodeError('Key', 'expected a key of global state, got "hash-"'),
  )
})

const ANY = u8(21)
const STRING = u8(10)
const seed = 'ab'.repeat(32)
const seedUref = `uref-${seed}-007`
const itemKey = 'schlüssel'
const hexOf = (text: string): string => Buffer.from(text).toString('hex')

/** A serialized dictionary item as a node stores it. */
const wrap = ({
  value = list(string('wert')) + STRING,
  storedSeed = seed,
  storedKey = itemKey,
  type = ANY,
} = {}) => `00${list(value + list(storedSeed) + list(hexOf(storedKey)))}${type}`

/** Returns the item of a trie with a single item. */
function itemOf(storedValue: string, asked: { seedUref?: string; itemKey?: string } = {}): unknown {
  const key = `09${blake2b(seed + hexOf(itemKey))}`
  const pointers = Array.from({ length: 256 }, () => '00')
  pointers[9] = `0100${blake2b(`00${key}${storedValue}`)}`
  return verifyDictionaryItem({
    stateRootHash: blake2b(`01${pointers.join('')}`),
    seedUref,
    itemKey,
    ...asked,
    merkleProof: `${u32(1)}${key}${storedValue}${u32(1)}00${u8(9)}${u32(0)}`,
    what: 'item',
  })
}

describe('verifyDictionaryItem', () => {
  test('default: the item without its wrapping', () => {
    expect(itemOf(wrap())).toEqual({ CLValue: { cl_type: 'String', bytes: string('wert') } })
  })

  test('behavior: the access rights of the seed do not count', () => {
    expect(itemOf(wrap(), { seedUref: `uref-${seed}-000` })).toEqual(itemOf(wrap()))
  })

  test('error: another item, or the same item of another dictionary, was asked for', () => {
    const error = new MerkleProofError('item', 'key', 'the proof is for another key')
    expect(() => itemOf(wrap(), { itemKey: 'another' })).toThrow(error)
    expect(() => itemOf(wrap(), { seedUref: `uref-${'cd'.repeat(32)}-007` })).toThrow(error)
  })

  const broken: [string, string, string][] = [
    [
      'is wrapped with another seed',
      wrap({ storedSeed: 'cd'.repeat(32) }),
      'the item belongs to another dictionary',
    ],
    [
      'is wrapped with a shorter seed',
      wrap({ storedSeed: 'ab'.repeat(31) }),
      'the item belongs to another dictionary',
    ],
    ['is wrapped with another key', wrap({ storedKey: 'another' }), 'the item has another key'],
    ['is of a type of its own', wrap({ type: STRING }), 'the value is not a dictionary item'],
    ['is era info', `07${u32(0)}`, 'the value is not a dictionary item'],
  ]
  test.each(broken)('error: the value %s', (_, storedValue, rule) => {
    expect(() => itemOf(storedValue)).toThrow(new MerkleProofError('item', 'dictionary item', rule))
  })

  test('error: the wrapping ends early or continues', () => {
    const bare = `00${list(list(string('wert')) + STRING)}${ANY}`
    const longer = `00${list(`${list(string('wert')) + STRING + list(seed) + list(hexOf(itemKey))}00`)}${ANY}`
    for (const stored of [bare, longer]) expect(() => itemOf(stored)).toThrow(MerkleProofError)
  })
})

/** Copies of a value, each with one change: another text or number, a longer list, or a missing member. */
function changes(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value}0`]
  if (typeof value === 'number') return [value + 1]
  if (Array.isArray(value))
    return [
      [...value, null],
      ...value.flatMap((item, index) => changes(item).map((changed) => value.with(index, changed))),
    ]
  return Object.entries(Object(value)).flatMap(([name, item]) => [
    ...changes(item).map((changed) => ({ ...Object(value), [name]: changed })),
    Object.fromEntries(Object.entries(Object(value)).filter(([other]) => other !== name)),
  ])
}

const kinds = new Map(recordedProofs.map((proof) => [Object.keys(Object(proof.storedValue))[0] ?? '', proof]))

describe('assertServedValue', () => {
  test.each([...kinds])('error: any change of a served %s', (_, proof) => {
    const proven = verifyRecorded(proof)
    const changed = changes(proven)
    expect(changed.length).toBeGreaterThan(3)
    for (const served of [...changed, null, undefined, 7, [], {}])
      expect(() => assertServedValue(served, proven, 'item')).toThrow(
        new MerkleProofError('item', 'stored value', 'the served value differs from the proven value'),
      )
  })

  test('error: an object that looks like the list', () => {
    const list = { Account: { named_keys: [] } }
    const served = { Account: { named_keys: { length: 0 } } }
    expect(() => assertServedValue(served, list as never, 'item')).toThrow(MerkleProofError)
  })

  test('behavior: fields that no proof covers are not compared', () => {
    const proven = { CLValue: { cl_type: 'U8', bytes: '07' } } as const
    assertServedValue({ CLValue: { ...proven.CLValue, parsed: 8 } }, proven, 'item')
  })
})
