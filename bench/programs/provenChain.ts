/**
 * Serves a made-up chain with valid Merkle proofs and signatures until its parent disconnects. Its registries have some
 * feeds with many values each, and the state has other items, as on a public network.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { memberAt } from '@wattfeed/base'
import {
  type BlockJson,
  createSignedChain,
  createValidator,
  hashOf,
} from '@wattfeed/casper/testing/signedChain'
import {
  addressOf,
  decodeContract,
  decodeStoredValue,
  dictionaryAddress,
  dictionaryKey,
  encodeKey,
  encodeStoredValue,
  formatStoredValue,
  listPackageVersions,
  type StoredValue,
} from '@wattfeed/casper/types'
import { type AnswerRpc, methodNotFound, queryFailed, type RpcAnswer } from '@wattfeed/casper-devnet'
import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { createSyntheticRegistries } from 'wattfeed/testing/syntheticRegistries'
import {
  decodeDictionaryItem,
  encodeDictionaryItem,
  formatPlainClValue,
} from '../../packages/casper/src/types/clValue.ts'
import { createStateTrie } from '../../packages/casper-devnet/src/state/stateTrie.ts'

export interface ProvenChainSettings {
  feeds: number
  /** Number of values of all feeds. */
  values: number
  /** Number of items of others in the state. */
  others: number
  delayMs: number
}

export interface ProvenChainInfo {
  url: string
  chainName: string
  genesisHash: string
  feedRegistryPackageHash: string
  attestationRegistryPackageHash: string
}

const chainName = 'bench'
const api = { api_version: '2.0.0' }
const settings: ProvenChainSettings = JSON.parse(process.argv[2] ?? '{}')

/** The stored values by key; those of dictionaries by seed and item key. */
const written = new Map<string, object>()
const registries = createSyntheticRegistries(chainName, {
  set: (key, value) => written.set(key, value),
  at: () => undefined,
})

export const benchFeedId = (index: number): string => `BENCH.HOURLY.${index}`

function attestAll(): void {
  for (let index = 0; index < settings.feeds; index++)
    registries.register(benchFeedId(index), {
      decimals: 6,
      unit: 'megawatthours',
      title: 'Invented hours',
      source: 'invented',
      route: 'bench/hourly',
      frequency: 'hourly',
      description: 'Invented by the benchmark',
    })
  for (let index = 0; index < settings.values; index++)
    registries.attest(benchFeedId(index % settings.feeds), {
      period: 1_577_836_800 + Math.floor(index / settings.feeds) * 3_600,
      amount: BigInt(index) * 1_000_003n,
      source_hash: index.toString(16).padStart(32, '0'),
      timestamp: 1_700_000_000_000 + index * 8_000,
    })
}

/** Encodes a stored value of the registries. */
function encode(json: object): StoredValue {
  if ('ContractPackage' in json)
    return {
      kind: 'ContractPackage',
      contractPackage: {
        accessKey: new Uint8Array(33),
        versions: listPackageVersions(json).map(({ contractHash }) => ({
          protocolVersionMajor: 2,
          contractVersion: 1,
          contractHash: Uint8Array.fromHex(contractHash),
        })),
        disabledVersions: [],
        groups: new Map(),
        isLocked: false,
      },
    }
  if ('Contract' in json) return encodeContract(json)
  const bytes = Uint8Array.fromHex(String(memberAt(json, 'CLValue', 'bytes')))
  const isLength = memberAt(json, 'CLValue', 'cl_type') === 'U32'
  return { kind: 'CLValue', value: { clType: isLength ? 'U32' : { List: 'U8' }, bytes } }
}

function encodeContract(json: object): StoredValue {
  const { namedKeys, entryPoints } = decodeContract(json)
  const entries = [...entryPoints].map(
    (name) => [name, { name, args: [], ret: 'Unit', access: 'Public', entry_point_type: 'Called' }] as const,
  )
  return {
    kind: 'Contract',
    contract: {
      packageHash: new Uint8Array(32),
      wasmHash: new Uint8Array(32),
      namedKeys: new Map([...namedKeys].map(([name, key]) => [name, encodeKey(key)])),
      entryPoints: new Map(entries),
      protocolVersion: [2, 0, 0],
    },
  }
}

const itemKeyOf = (seed: string, itemKey: string): string =>
  dictionaryKey(dictionaryAddress(seed, itemKey)).toHex()

/** Returns the writes of one stored value. */
function writeOf(key: string, json: object): [string, Uint8Array] {
  const stored = encode(json)
  const [seed = '', itemKey] = key.split('/')
  if (itemKey === undefined || stored.kind !== 'CLValue')
    return [encodeKey(seed).toHex(), encodeStoredValue(stored)]
  const item = { value: stored.value, seed: addressOf(encodeKey(seed)), itemKey: utf8ToBytes(itemKey) }
  return [itemKeyOf(seed, itemKey), encodeStoredValue({ kind: 'CLValue', value: encodeDictionaryItem(item) })]
}

/** An item of another contract. */
const other = (): [string, Uint8Array] => [
  `09${randomBytes(32).toString('hex')}`,
  encodeStoredValue({ kind: 'CLValue', value: { clType: 'U32', bytes: new Uint8Array(4) } }),
]

const OTHERS_PER_COMMIT = 100_000

attestAll()
const state = createStateTrie(1)
let root = state.commit(
  state.emptyRootHash,
  [...written].map(([key, json]) => writeOf(key, json)),
)
written.clear()
for (let left = settings.others; left > 0; left -= OTHERS_PER_COMMIT)
  root = state.commit(root, Array.from({ length: Math.min(left, OTHERS_PER_COMMIT) }, other))

const validators = Array.from({ length: 100 }, (_, index) => createValidator(`bench ${index}`, 1_000n))
const blocks = createSignedChain({
  chainName,
  eras: 2,
  blocksPerEra: 2,
  validators: () => validators,
  stateRootHash: () => root,
  startsAt: Date.now() - 60_000,
})
const byHash = new Map(blocks.map((block) => [hashOf(block), block]))

function read(key: string): RpcAnswer {
  const proof = state.prove(root, key)
  const bytes = state.get(root, key)
  if (proof === null || bytes === null) return queryFailed
  const stored = decodeStoredValue(bytes)
  const isItem = stored.kind === 'CLValue' && stored.value.clType === 'Any'
  const stored_value = isItem
    ? { CLValue: { ...formatPlainClValue(decodeDictionaryItem(stored.value).value), parsed: null } }
    : formatStoredValue(stored)
  return { result: { ...api, stored_value, merkle_proof: proof.toHex() } }
}

const blockAnswer = (block: BlockJson | undefined): RpcAnswer => ({
  result: { ...api, block_with_signatures: block ?? null },
})

const answer: AnswerRpc = (method, params) => {
  if (method === 'info_get_status')
    return { result: { ...api, chainspec_name: chainName, last_added_block_info: null, peers: [] } }
  if (method === 'chain_get_block') {
    const hash = memberAt(params, 'block_identifier', 'Hash')
    return blockAnswer(typeof hash === 'string' ? byHash.get(hash) : blocks.at(-1))
  }
  if (method === 'query_global_state') return read(encodeKey(String(memberAt(params, 'key'))).toHex())
  if (method !== 'state_get_dictionary_item') return methodNotFound(method)
  const item = memberAt(params, 'dictionary_identifier', 'URef')
  return read(itemKeyOf(String(memberAt(item, 'seed_uref')), String(memberAt(item, 'dictionary_item_key'))))
}

await using node = await startCountedNode(answer, settings)
const [genesis] = blocks
if (genesis === undefined) throw new Error('the chain has blocks')
const info: ProvenChainInfo = {
  url: node.url,
  chainName,
  genesisHash: hashOf(genesis),
  feedRegistryPackageHash: registries.packageHashes.feedRegistryPackageHash.slice('hash-'.length),
  attestationRegistryPackageHash: registries.packageHashes.attestationRegistryPackageHash.slice(
    'hash-'.length,
  ),
}
process.send?.(info)
await once(process, 'disconnect')
