import { readFileSync } from 'node:fs'
import { createByteWriter } from '@wattfeed/base'
import {
  type ClType,
  encodeStoredValue,
  type NamedArgument,
  parseKey,
  stateKey,
} from '@wattfeed/casper/types'
import { chainspecs } from '../../../src/chainspec.ts'
import { type Engine, execute } from '../../../src/engine/execute.ts'
import { formatEffect } from '../../../src/engine/transform.ts'
import { createEngineChain } from '../../support/engine/engineChain.ts'

/** A session module that a real node ran, and the result. */
export interface HostFunctionVector {
  readonly label: string
  /** Hash of the transaction, hex. */
  readonly hash: string
  /** `account-hash-…` */
  readonly initiator: string
  readonly block_time: number
  /** Hex. */
  readonly session: string
  readonly args: readonly [string, { readonly cl_type: ClType; readonly bytes: string }][]
  /** In the Rust debug format, as the node prints it. */
  readonly error: string | null
  readonly consumed: string
  readonly effects: readonly unknown[]
}

/** The recorded parts of an execution. */
export interface RecordedOutcome {
  readonly error: string | null
  readonly consumed: string
  readonly effects: readonly unknown[]
}

const fixtures = new URL('../../../../../fixtures/chain/', import.meta.url)

/** Reads a recording with one JSON value per line. */
export function readLines<T>(file: string): T[] {
  const text = readFileSync(new URL(file, fixtures), 'utf8')
  return text.split('\n').flatMap((line): T[] => (line === '' ? [] : [JSON.parse(line)]))
}

export const readHostFunctionVectors = (): HostFunctionVector[] => readLines('host-function-vectors.jsonl')

export function decodeArguments(args: HostFunctionVector['args']): NamedArgument[] {
  return args.map(([name, { cl_type, bytes }]) => ({
    name,
    clType: cl_type,
    bytes: Uint8Array.fromHex(bytes),
  }))
}

/** Runs a vector on a chain with only the account and the entries that every block of a real chain writes. */
export function runVector(vector: HostFunctionVector, engine: Engine = execute): RecordedOutcome {
  const chain = createEngineChain({ chainspec: chainspecs['2.0.3'], engine })
  const initiator = Uint8Array.fromHex(vector.initiator.replace('account-hash-', ''))
  chain.addAccount(initiator)
  chain.state.set(blockMessageCount, messagesOfAnotherBlock)
  chain.blockTimeMs = vector.block_time
  const { error, consumed, effects } = chain.execute({
    initiator,
    transactionHash: Uint8Array.fromHex(vector.hash),
    target: { kind: 'session', wasm: Uint8Array.fromHex(vector.session), isInstallOrUpgrade: true },
    args: decodeArguments(vector.args),
  })
  return { error, consumed: String(consumed), effects: effects.map(formatEffect) }
}

const blockMessageCount = stateKey(parseKey(`block-message-count-${'00'.repeat(31)}`))

const messagesOfAnotherBlock = encodeStoredValue({
  kind: 'CLValue',
  value: { clType: { Tuple2: ['U64', 'U64'] }, bytes: createByteWriter().u64(1).u64(3).finish() },
})

/** Returns the recorded result, with its error in the words of a transaction's result. */
export function expectedOutcome({ error, consumed, effects }: HostFunctionVector): RecordedOutcome {
  return { error: error === null ? null : printedError(error), consumed, effects }
}

/** The errors of the vectors, by their recorded Rust debug format. */
const printedErrors: Readonly<Record<string, string>> = {
  'Exec(InvalidAccess { required: READ })': 'Invalid access rights: READ',
  'Exec(Revert(ApiError::User(4) [65540]))': 'User error: 4',
  'Exec(Revert(ApiError::Mint(InsufficientFunds) [65024]))': 'Mint error: 0',
  'Exec(Interpreter("trap: Code(Unreachable)"))': 'Interpreter error: trap: Code(Unreachable)',
  'Exec(Interpreter("trying to access region [4194300..4194308] in memory [0..1114112]"))':
    'Interpreter error: trying to access region [4194300..4194308] in memory [0..1114112]',
  'Exec(BytesRepr(EarlyEndOfStream))': 'Serialization error: Deserialization error: early end of stream',
  'Exec(BytesRepr(LeftOverBytes))': 'Serialization error: Deserialization error: left-over bytes',
  'Exec(FunctionNotFound("nonexistent"))': 'Function not found: nonexistent',
  'Exec(InvalidContext)': 'Invalid context',
  'Exec(TemplateMethod("noop"))': 'Error calling a template entry point: noop',
  'Exec(RuntimeStackOverflow)': 'Runtime stack overflow',
}

function printedError(error: string): string {
  const known = printedErrors[error]
  if (known !== undefined) return known
  const [, forged] = /^Exec\(ForgedReference\((.*)\)\)$/.exec(error) ?? []
  if (forged !== undefined) return `Forged reference: ${forged}`
  if (error.startsWith('Exec(LockedEntity(')) return 'A locked contract cannot be upgraded'
  // The error of a contract's revert has the same form in both.
  return error.replace(/^Exec\(Revert\((.*)\)\)$/, '$1')
}
