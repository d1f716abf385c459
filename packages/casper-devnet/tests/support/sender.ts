import { memberAt } from '@wattfeed/base'
import { readExecution } from '@wattfeed/casper/testing/internals'
import type { CodeTarget, ExecutedTransaction } from '@wattfeed/casper/transaction'
import { loadSigner, type Signer, signTransaction } from '@wattfeed/casper/transaction'
import type { Arguments } from '@wattfeed/casper/types'
import type { AnswerRpc, DevnetAccount } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'

/** A call or a session from an account. */
export interface Call {
  signer: Signer
  target: CodeTarget
  args: Arguments
  paymentMotes: bigint
}

/** Signs calls and sends them to a chain in this process. */
export interface Sender {
  answer: AnswerRpc
  /** Returns the results of the calls, in order. They are in one block if they fit. Throws the node's error if it rejects one. */
  send(calls: readonly Call[]): Promise<ExecutedTransaction[]>
}

export interface SenderOptions {
  answer: AnswerRpc
  chainName: string
  now: () => number
  /** Makes a block if none comes by itself. */
  produceBlock: () => void
}

export function createSender({ answer, chainName, now, produceBlock }: SenderOptions): Sender {
  return {
    answer,
    async send(calls) {
      const hashes: string[] = []
      for (const { signer, ...call } of calls) {
        // The hash of an installed package depends on it.
        const signed = await signTransaction(signer, { ...call, chainName, timestamp: now() })
        await putTransaction(answer, signed.transaction)
        hashes.push(signed.hash)
      }
      const executed: ExecutedTransaction[] = []
      produceBlock()
      for (const hash of hashes) {
        if ((await findExecution(answer, hash)) === null) produceBlock()
        executed.push(await getExecution(answer, hash))
      }
      return executed
    },
  }
}

/** Sends a signed transaction; throws the node's error if it rejects it. */
export async function putTransaction(answer: AnswerRpc, transaction: object): Promise<void> {
  const answered = await answer('account_put_transaction', { transaction })
  if ('error' in answered) throw new Error(`${answered.error.message}: ${answered.error.data}`)
}

/** Returns the result of a transaction in a block. */
export async function getExecution(answer: AnswerRpc, hash: string): Promise<ExecutedTransaction> {
  const executed = await findExecution(answer, hash)
  if (executed === null) throw new Error(`no block holds ${hash}`)
  return executed
}

async function findExecution(answer: AnswerRpc, hash: string): Promise<ExecutedTransaction | null> {
  const found = await answer('info_get_transaction', { transaction_hash: { Version1: hash } })
  return readExecution(hash, memberAt(found, 'result', 'execution_info'))
}

/** Signers of a devnet's accounts, in order. */
export async function signersOf(accounts: readonly DevnetAccount[]): Promise<Signer[]> {
  using folder = createFolder()
  const signers: Signer[] = []
  for (const { secretKeyPem } of accounts)
    signers.push((await loadSigner(folder.write('secret_key.pem', secretKeyPem))).signer)
  return signers
}
