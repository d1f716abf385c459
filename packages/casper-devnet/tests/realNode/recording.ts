import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { RpcError } from '../../src/rpcAnswer.ts'
import { readContractWasm } from '../support/contractWasm.ts'
import { chainFixtures } from '../support/recordings.ts'

/** The whole recording, if it is next to the repository; `fixtures/chain` has a part of it. */
const whole = fileURLToPath(new URL('../../../../../shared/chain/', import.meta.url))
export const isWhole = existsSync(`${whole}own-contracts.jsonl.gz`)

/** A word in the title of tests that need the whole recording. */
export const skipWord = isWhole ? '' : ': the first 129 of 229; ../shared/chain is not there'

/** A transaction that a real node has executed. */
export interface RecordedTransaction {
  height: number
  /** Time of its block, RFC 3339. */
  timestamp: string
  hash: Readonly<Record<string, string>>
  /** The answer to `info_get_transaction`. */
  result: {
    transaction: RecordedJson
    execution_info: { block_height: number; execution_result: { Version2: { error_message: string | null } } }
  }
}

interface RecordedJson {
  Version1?: { payload: { initiator_addr: { PublicKey: string } } }
  Deploy?: { header: { account: string } }
}

/** A call and a real node's answer. */
export interface RecordedAnswer {
  name: string
  /** `raw` for a request that the recording only describes by name. */
  method: string
  params?: unknown
  result?: unknown
  error?: RpcError
}

const readLines = (bytes: Uint8Array): string[] => new TextDecoder().decode(bytes).trim().split('\n')

/** Reads the transactions in the order of their execution. A fixture refers to wasm in `contracts/wasm`. */
export function readTransactions(folder = isWhole ? whole : chainFixtures): RecordedTransaction[] {
  return readLines(gunzipSync(readFileSync(`${folder}own-contracts.jsonl.gz`))).map((line) =>
    JSON.parse(
      line.replace(/"<contracts\/wasm\/(\w+)\.wasm>"/, (_, name) => `"${readContractWasm(name).toHex()}"`),
    ),
  )
}

/** Reads the answers in the order of their calls. */
export function readAnswers(folder = isWhole ? whole : chainFixtures): RecordedAnswer[] {
  const lines =
    isWhole && folder === whole
      ? readFileSync(`${folder}rpc-answers.jsonl`)
      : gunzipSync(readFileSync(`${folder}rpc-answers.jsonl.gz`))
  return readLines(lines).map((line) => JSON.parse(line))
}

/** Returns the public key of a transaction's sender. */
export function senderOf({ result: { transaction } }: RecordedTransaction): string {
  return transaction.Version1?.payload.initiator_addr.PublicKey ?? transaction.Deploy?.header.account ?? ''
}
