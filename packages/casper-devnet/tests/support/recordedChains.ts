import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { blake2b } from '../../src/blake2b.ts'
import type { Chainspec } from '../../src/chainspec.ts'

/** The first block of a recorded chain. */
export interface RecordedGenesis {
  hash: string
  time_ms: number
  chain_name: string
  /** In hex. */
  seed: string
  /** Public keys and balances in motes. */
  accounts: readonly (readonly [string, string])[]
  validators?: number
  era_length?: number
  chainspec: Pick<Chainspec, 'protocol'>
}

/** A block, with the results that the node's engine gave. */
export interface RecordedBlock {
  hash: string
  parent_hash: string
  height: number
  time_ms: number
  transactions: readonly RecordedTransaction[]
}

export interface RecordedTransaction {
  transaction: object
  execution_result: unknown
  /** What it does. */
  title?: string
}

export type RecordedLine = { genesis: RecordedGenesis } | { block: RecordedBlock }

/** Reads chains of a file in `fixtures`, each block after its parent. The file refers to the wasm that transactions install. */
export function readChains(path: string): RecordedLine[] {
  const fixture = new URL(`../../../../fixtures/${path}`, import.meta.url)
  const text = new TextDecoder().decode(gunzipSync(readFileSync(fixture)))
  return text
    .trim()
    .split('\n')
    .map((line) =>
      JSON.parse(line.replace(/"<([\w/-]+\.wasm)>"/g, (_, path: string) => `"${readWasm(path)}"`)),
    )
}

const wasm = new Map<string, string>()

function urlOf(path: string): URL {
  const [, folder, rest] = /^(contracts|fixtures)\/(.*)$/.exec(path) ?? []
  return folder === 'contracts'
    ? new URL(`../../../../contracts/${rest}`, import.meta.url)
    : new URL(`../../../../fixtures/${rest}`, import.meta.url)
}

function readWasm(path: string): string {
  const read = wasm.get(path) ?? readFileSync(urlOf(path)).toString('hex')
  wasm.set(path, read)
  return read
}

const STORED_WASM = /("ContractWasm":\{"bytes":)"([0-9a-f]+)"/g

/** The fixture has the hash of stored wasm instead of its bytes. */
export const withoutStoredWasm = (result: unknown): unknown =>
  JSON.parse(
    JSON.stringify(result ?? null).replace(
      STORED_WASM,
      (_, start, hex) => `${start}"blake2b ${blake2b(Uint8Array.fromHex(hex)).toHex()}"`,
    ),
  )
