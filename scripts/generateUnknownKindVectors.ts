import { createByteWriter } from '@wattfeed/base'
import { MerkleProofError, verifyMerkleProof } from '@wattfeed/casper'
import { accountKey, encodeStoredValue, formatKey, hashKey } from '@wattfeed/casper/types'
import { blake2b } from '../packages/casper-devnet/src/blake2b.ts'
import { createStateTrie } from '../packages/casper-devnet/src/state/stateTrie.ts'

/** Writes `fixtures/unknown-kinds/vectors.jsonl`: `bun scripts/generateUnknownKindVectors.ts`. The same vectors every time. */

interface Vector {
  name: string
  key: string
  state_root_hash: string
  merkle_proof: string
  /** What the proof proves, in the JSON of a node; null if a verifier must refuse it. */
  value: unknown
}

const utf8 = new TextEncoder()
const hash = (text: string): Uint8Array => blake2b(utf8.encode(text))
const bytes = (hex: string): Uint8Array => Uint8Array.fromHex(hex)

/** Keys of kinds that nobody knows: tag 26, and a kind of byte code. */
const [evm, longEvm, byteCode] = [
  `1a02${'ab'.repeat(20)}`,
  `1a03${'cd'.repeat(52)}`,
  `1203${'ef'.repeat(32)}`,
]
/** The key of tag 25. */
const REWARDS_HANDLING = `19${'00'.repeat(32)}`
const known = `01${'22'.repeat(32)}`

const ascending = [1, 2, 3, 4, 5]

interface AccountParts {
  namedKeys: readonly (readonly [string, string])[]
  keys?: readonly number[]
  mainPurse?: Uint8Array
  after?: string
}

function account({
  namedKeys,
  keys = ascending,
  mainPurse = hash('main purse'),
  after = '',
}: AccountParts): Uint8Array {
  const writer = createByteWriter().u8(1).bytes(hash('account'))
  return writer
    .list(namedKeys, ([name, key]) => writer.string(name).hex(key))
    .bytes(mainPurse)
    .u8(7)
    .list(keys, (each) => writer.bytes(new Uint8Array(32).fill(each)).u8(each))
    .hex(`0304${after}`)
    .finish()
}

/** An end of an account with 7 keys: its last 5 are those of the account that has it as the bytes of a named key. */
const falseEnd = `1a02${'00'.repeat(33)}07000000${'00'.repeat(29)}`

const plain = encodeStoredValue({ kind: 'CLValue', value: { clType: 'U8', bytes: Uint8Array.of(7) } })
const contract = createByteWriter()
const withLaterKey = contract
  .u8(3)
  .bytes(hash('package'))
  .bytes(hash('wasm'))
  .list([['state', evm]] as const, ([name, key]) => contract.string(name).hex(key))
  .u32(0)
  .u32(2)
  .u32(0)
  .u32(0)
  .finish()

const stored: readonly (readonly [name: string, value: Uint8Array])[] = [
  [
    'an account with a named key of an unknown kind',
    account({
      namedKeys: [
        ['a', known],
        ['b', evm],
        ['c', known],
      ],
    }),
  ],
  [
    'the first and the last named key have unknown kinds',
    account({
      namedKeys: [
        ['a', evm],
        ['b', known],
        ['c', longEvm],
      ],
    }),
  ],
  [
    'a named key of a known tag, but of an unknown kind of byte code',
    account({ namedKeys: [['a', byteCode]] }),
  ],
  ['one associated key', account({ namedKeys: [['a', evm]], keys: [9] })],
  [
    'the end of the account can be read in two ways',
    account({ namedKeys: [['a', falseEnd]], mainPurse: new Uint8Array(32) }),
  ],
  ['no associated keys', account({ namedKeys: [['a', evm]], keys: [] })],
  ['a byte after the account', account({ namedKeys: [['a', evm]], after: '00' })],
  ['a byte after an account of known kinds', account({ namedKeys: [['a', known]], after: '00' })],
  ['a stored value of an unknown kind', bytes(`15${'ab'.repeat(40)}`)],
  ['a contract with a named key of an unknown kind', withLaterKey],
]

/** Accounts are stored under the key of an account, the others under that of a contract. */
const entries = stored.map(([name, value], index) => {
  const key = value[0] === 1 ? accountKey(hash(`${index}`)) : hashKey(hash(`${index}`))
  return { name, key, value }
})
const neighbors = Array.from({ length: 40 }, (_, index) => hash(`neighbor ${index}`))
const state = createStateTrie()
const root = state.commit(state.emptyRootHash, [
  ...neighbors.map((each, index) => [(index % 2 === 0 ? hashKey : accountKey)(each).toHex(), plain] as const),
  ...entries.map(({ key, value }) => [key.toHex(), value] as const),
  [REWARDS_HANDLING, plain],
])

function vectorOf(name: string, key: Uint8Array, merkle_proof: string, state_root_hash = root): Vector {
  const request = {
    merkleProof: merkle_proof,
    stateRootHash: state_root_hash,
    key: formatKey(key),
    what: name,
  }
  return { name, key: request.key, state_root_hash, merkle_proof, value: proven(request) }
}

function proven(request: Parameters<typeof verifyMerkleProof>[0]): unknown {
  try {
    return verifyMerkleProof(request)
  } catch (error) {
    if (error instanceof MerkleProofError) return null
    throw error
  }
}

const proofOf = (key: Uint8Array): string => state.prove(root, key.toHex())?.toHex() ?? ''
const [first] = entries
if (first === undefined) throw new Error('there are no entries')
const firstProof = proofOf(first.key)

const vectors: Vector[] = [
  ...entries.map(({ name, key }) => vectorOf(name, key, proofOf(key))),
  vectorOf('another state root', first.key, firstProof, 'ab'.repeat(32)),
  vectorOf('a changed byte of the unknown part', first.key, firstProof.replace('abababab', 'abababac')),
  vectorOf('a changed weight', first.key, firstProof.replace('0505050503', '0505050603')),
  vectorOf('two proofs', first.key, `02${firstProof.slice(2)}`),
  vectorOf('a byte after the proof', first.key, `${firstProof}00`),
  vectorOf('a key of tag 25', bytes(REWARDS_HANDLING), proofOf(bytes(REWARDS_HANDLING))),
]

const path = new URL('../fixtures/unknown-kinds/vectors.jsonl', import.meta.url)
await Bun.write(path, vectors.map((each) => `${JSON.stringify(each)}\n`).join(''))
