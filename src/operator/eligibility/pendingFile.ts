import { rm } from 'node:fs/promises'
import { readTextFile } from '../../agent/state/readTextFile.ts'
import type { SignedTransaction } from '../../casper/transaction/signTransaction.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import { parseJson } from '../../runtime/parseJson.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { ClaimError } from './claimError.ts'

/** Remembers a transaction that may be on its way, so that a run after an interruption sends no second one. */
export interface PendingStore {
  read(): Promise<SignedTransaction | null>
  write(signed: SignedTransaction): Promise<void>
  clear(): Promise<void>
}

/** Keeps it in a file. */
export function createPendingFile(path: string): PendingStore {
  return {
    async read() {
      const text = await readTextFile(path)
      return text === null ? null : parse(path, text)
    },
    write: (signed) => writeAtomically(path, `${JSON.stringify(signed)}\n`),
    clear: () => rm(path, { force: true }),
  }
}

function parse(path: string, text: string): SignedTransaction {
  const value = parseJson(text)
  const { hash, expiresAt, transaction } = isRecord(value) ? value : {}
  if (typeof hash === 'string' && typeof expiresAt === 'number' && isRecord(transaction))
    return { hash, expiresAt, transaction: { Version1: transaction.Version1 } }
  throw new ClaimError(
    'pending_file',
    `${path} holds no signed transaction; look up what became of the claim`,
  )
}
