import { createHash } from 'node:crypto'
import { memberAt } from '@wattfeed/base'
import { finalityMessage } from '@wattfeed/casper/light-client'
import { decodeBlockHeader, decodeMerkleProof } from '@wattfeed/casper/testing/internals'
import {
  decodeDictionaryItem,
  decodeStoredValue,
  dictionaryAddress,
  dictionaryKey,
  encodeKey,
  formatClValue,
  formatServedValue,
  hashBlockBody,
  hashBlockHeader,
} from '@wattfeed/casper/types'
import type { AnswerRpc, RpcAnswer } from '@wattfeed/casper-devnet'
import { blake2b, createStateTrie, createValidators } from '@wattfeed/casper-devnet/testing/internals'
import { createVerifiedWorld, type VerifiedWorld } from './verifiedWorld.ts'
import { WTI } from './world.ts'

/** What a chain of a later protocol has and the embedded chain cannot make. */
export interface LaterProtocol {
  /** Returns other values of the state, by serialized key in hex, from those that the client reads. */
  values?: (stored: ReadonlyMap<string, Uint8Array>) => readonly (readonly [string, Uint8Array])[]
  /** The `stored_value` of formatted keys, for values that only a later node can format. */
  served?: Readonly<Record<string, unknown>>
  /** Transactions that the newest block also lists, in the node's JSON. */
  listed?: readonly unknown[]
  /** Results of `info_get_transaction`, by hash. */
  transactions?: Readonly<Record<string, unknown>>
}

/** A verified world whose newest block, signed by its validators, is of a later protocol. */
export interface LaterWorld extends AsyncDisposable {
  world: VerifiedWorld
  url: string
  stateRootHash: string
}

/** Creates the world after another attestation of WTI, which is in the newest block. */
export async function createLaterWorld(
  later: LaterProtocol,
  attest: (world: VerifiedWorld) => Promise<unknown> = ({ world }) => world.attest(world.owner, WTI, 7n),
): Promise<LaterWorld> {
  const world = await createVerifiedWorld({ nodes: 1 })
  await attest(world)
  const { devnet } = world.world
  const stored = await readValues(world)
  const trie = createStateTrie()
  const values = [...stored, ...(later.values?.(stored) ?? [])]
  const stateRootHash = trie.commit(trie.emptyRootHash, values)
  const block = await sealNewest(world, stateRootHash, later.listed ?? [])
  const answer: AnswerRpc = async (method, params) => {
    if (method === 'chain_get_block' && isOf(block, params))
      return { result: { api_version: '2.0.0', block_with_signatures: block } }
    const key = keyOf(method, params)
    const transaction = later.transactions?.[String(memberAt(params, 'transaction_hash', 'Version1'))]
    if (method === 'info_get_transaction' && transaction !== undefined) return { result: transaction }
    if (key === null || rootOf(params) !== stateRootHash) return devnet.call(method, params)
    const proof = trie.prove(stateRootHash, key.toHex())
    const value = trie.get(stateRootHash, key.toHex())
    if (proof === null || value === null) return notStored
    const served = later.served?.[String(memberAt(params, 'key'))] ?? serve(method, value)
    return { result: { api_version: '2.0.0', stored_value: served, merkle_proof: proof.toHex() } }
  }
  return {
    world,
    url: await world.serve(answer),
    stateRootHash,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const notStored: RpcAnswer = {
  error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' },
}

/** Returns what a client reads, by serialized key in hex. */
async function readValues(world: VerifiedWorld): Promise<Map<string, Uint8Array>> {
  const values = new Map<string, Uint8Array>()
  const url = await world.serve(async (method, params) => {
    const answer = await world.world.devnet.call(method, params)
    const key = keyOf(method, params)
    const proof = 'result' in answer ? memberAt(answer.result, 'merkle_proof') : null
    if (key === null || typeof proof !== 'string') return answer
    const { leaf } = decodeMerkleProof(Uint8Array.fromHex(proof), key.length)
    values.set(key.toHex(), leaf.subarray(key.length))
    return answer
  })
  const client = world.client([], { rpcUrls: [url], verify: 'proofs' })
  await client.getReading(WTI)
  await client.getAttester(WTI)
  await client.getTransaction(WTI, 1)
  return values
}

function keyOf(method: string, params: unknown): Uint8Array | null {
  if (method === 'query_global_state') return encodeKey(String(memberAt(params, 'key')))
  if (method !== 'state_get_dictionary_item') return null
  const { seed_uref, dictionary_item_key } = Object(memberAt(params, 'dictionary_identifier', 'URef'))
  return dictionaryKey(dictionaryAddress(String(seed_uref), String(dictionary_item_key)))
}

const rootOf = (params: unknown): unknown =>
  memberAt(params, 'state_root_hash') ?? memberAt(params, 'state_identifier', 'StateRootHash')

function serve(method: string, value: Uint8Array): object {
  const stored = decodeStoredValue(value)
  return method === 'state_get_dictionary_item' && stored.kind === 'CLValue'
    ? { CLValue: formatClValue(decodeDictionaryItem(stored.value).value) }
    : formatServedValue(stored)
}

type SealedBlock = Awaited<ReturnType<typeof sealNewest>>

/** Returns whether a call asks for the newest block. */
function isOf({ block }: SealedBlock, params: unknown): boolean {
  const { Hash, Height } = Object(memberAt(params, 'block_identifier'))
  const { hash, header } = block.Version2
  return (Hash ?? hash) === hash && (Height ?? header.height) === header.height
}

/** Returns the newest block with another state root and more transactions, signed by the validators. */
async function sealNewest({ world }: VerifiedWorld, stateRootHash: string, listed: readonly unknown[]) {
  const newest = await world.devnet.call('chain_get_block', {})
  const { header, body } = Object(memberAt(newest, 'result', 'block_with_signatures', 'block', 'Version2'))
  const all = { ...body, transactions: { ...body.transactions, 9: listed } }
  const sealed = {
    ...header,
    state_root_hash: stateRootHash,
    body_hash: canHash(listed) ? hashBlockBody(all) : createHash('sha256').update('unknown').digest('hex'),
  }
  const decoded = decodeBlockHeader(sealed, 2)
  const hash = hashBlockHeader(decoded)
  const message = finalityMessage({ hash, header: decoded }, world.devnet.chainName)
  const proofs = createValidators(blake2b(new TextEncoder().encode('verified')), 3).map((validator) => ({
    public_key: validator.publicKey,
    signature: validator.sign(message),
  }))
  return { block: { Version2: { hash, header: sealed, body: all } }, proofs }
}

/** Returns whether we know how a later node hashes these transactions. */
const canHash = (listed: readonly unknown[]): boolean =>
  listed.every((each) => ['Deploy', 'Version1', 'Evm'].includes(Object.keys(Object(each))[0] ?? ''))
