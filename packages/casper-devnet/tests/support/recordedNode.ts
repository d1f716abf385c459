import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { memberAt } from '@wattfeed/base'
import {
  type AnswerRpc,
  type DevnetEndpoint,
  methodNotFound,
  noSuchStateRoot,
  queryFailed,
  type RpcAnswer,
  startDevnet,
} from '@wattfeed/casper-devnet'
import { canonicalCall, type Exchange } from './exchange.ts'

/** The chain of a recording. */
export interface RecordedChain {
  chainName: string
  stateRootHash: string
  /** With the prefix `hash-`. */
  feedRegistryPackageHash: string
  /** With the prefix `hash-`. */
  attestationRegistryPackageHash: string
}

/** A running node, with the client options for its chain. */
export interface RecordedNode extends DevnetEndpoint, RecordedChain {}

const recordingFolder = fileURLToPath(new URL('../../../../fixtures/chain/', import.meta.url))

const recordings = ['snapshot.jsonl', 'history.jsonl', 'events.jsonl', 'errors.jsonl']

/** Keys of items that exist at the recorded root but were not recorded: a replay must not report them as absent. */
const unrecordedItems: ReadonlySet<string> = new Set([
  // FeedRegistry.eligibility_gate and AttestationRegistry.feed_registry, both field 6
  'b6c377c588b78bf5abaa8a3829ce9fe6989dce6c738fccfb896b66eacaaf6b6d',
  // AttestationRegistry.count['UNREGISTERED.VALUE.DAILY']
  '5d169ec88d3f04ac3881b77dae33a1beeb8a049bd15ebae80440c603fdbe3c2e',
  // AttestationRegistry.history['UNREGISTERED.VALUE.DAILY#0']
  '368a0d3d532028faedd8d8039b0c429aee50606e5d0c53fec9818b63d4fd487a',
])

/**
 * Starts a JSON-RPC endpoint that replays recorded exchanges of a real node.
 *
 * @param exchanges default: the recordings in `fixtures/chain`
 */
export async function startRecordedNode(
  exchanges: readonly Exchange[] = readRecordedChain(),
): Promise<RecordedNode> {
  const recording = describeRecording(exchanges)
  return { ...(await startDevnet({ call: createRecordedAnswers(exchanges) })), ...recording }
}

export function readExchanges(file: string): Exchange[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line): Exchange => JSON.parse(line))
}

export function readRecordedChain(): Exchange[] {
  return recordings.flatMap((name) => readExchanges(`${recordingFolder}${name}`))
}

/** Returns the recorded chain, state root and registries. @throws {Error} when one of them is missing */
export function describeRecording(exchanges: readonly Exchange[]): RecordedChain {
  return {
    chainName: resultText(exchanges, 'info_get_status', 'chainspec_name'),
    stateRootHash: resultText(exchanges, 'chain_get_state_root_hash', 'state_root_hash'),
    feedRegistryPackageHash: packageKey(exchanges, 'FeedRegistry package'),
    attestationRegistryPackageHash: packageKey(exchanges, 'AttestationRegistry package'),
  }
}

function resultText(exchanges: readonly Exchange[], method: string, name: string): string {
  const exchange = exchanges.find((each) => each.method === method && 'result' in each)
  return textOrThrow(memberAt(exchange, 'result', name), `${name} of ${method}`)
}

function packageKey(exchanges: readonly Exchange[], note: string): string {
  const exchange = exchanges.find((each) => each.note === note)
  return textOrThrow(memberAt(exchange?.params, 'key'), note)
}

function textOrThrow(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new Error(`the recording has no ${what}`)
}

/**
 * Returns a function that responds like the recorded node.
 *
 * Dictionaries were recorded completely, so an item that is missing from one was absent on chain, like all keys of addressable
 * entities. All other unrecorded calls get an error that cannot be mistaken for absence.
 */
export function createRecordedAnswers(exchanges: readonly Exchange[]): AnswerRpc {
  const { stateRootHash } = describeRecording(exchanges)
  const keyOf = ({ method, params }: Exchange): string => canonicalCall(method, params, stateRootHash)
  const answers = new Map(exchanges.map((each) => [keyOf(each), answerOf(each)]))
  const answered = exchanges.filter((each) => 'result' in each)
  const dictionaries = new Set(answered.map((each) => seedOf(each.params)))
  const methods = new Set(answered.map((each) => each.method))
  return (method, params) => {
    const recorded = answers.get(canonicalCall(method, params, stateRootHash))
    if (recorded !== undefined) return recorded
    if (!methods.has(method)) return methodNotFound(method)
    if ((stateRootOf(params) ?? stateRootHash) !== stateRootHash) return noSuchStateRoot('dictionary item')
    return isAbsentItem(params, dictionaries) || isOfEntity(params) ? queryFailed : notRecorded(method)
  }
}

const answerOf = (exchange: Exchange): RpcAnswer =>
  'error' in exchange ? { error: exchange.error } : { result: exchange.result }

function isAbsentItem(params: unknown, dictionaries: ReadonlySet<unknown>): boolean {
  const itemKey = memberAt(params, 'dictionary_identifier', 'URef', 'dictionary_item_key')
  if (typeof itemKey !== 'string' || unrecordedItems.has(itemKey)) return false
  return typeof seedOf(params) === 'string' && dictionaries.has(seedOf(params))
}

/** The recorded chain has no addressable entities. */
const isOfEntity = (params: unknown): boolean =>
  /^(package|named-key|entry-point)-/.test(String(memberAt(params, 'key')))

const seedOf = (params: unknown): unknown => memberAt(params, 'dictionary_identifier', 'URef', 'seed_uref')

function notRecorded(method: string): RpcAnswer {
  const data = `this call of ${method} was not recorded`
  return { error: { code: -32602, message: 'Not recorded', data } }
}

export function stateRootOf(params: unknown): string | null {
  const root = memberAt(params, 'state_root_hash') ?? memberAt(params, 'state_identifier', 'StateRootHash')
  return typeof root === 'string' ? root : null
}
