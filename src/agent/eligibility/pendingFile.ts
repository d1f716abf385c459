import { readFile, rm } from 'node:fs/promises'
import { isRecord } from '../../casper/jsonRpc.ts'
import { writeAtomically } from '../state/writeAtomically.ts'
import type { SignedTransaction } from '../transaction/signTransaction.ts'
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
      const text = await readFile(path, 'utf8').catch((error) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      return text === null ? null : parse(path, text)
    },
    write: (signed) => writeAtomically(path, `${JSON.stringify(signed)}\n`),
    clear: () => rm(path, { force: true }),
  }
}

function parse(path: string, text: string): SignedTransaction {
  const { hash, expiresAt, transaction } = parseObject(text)
  if (typeof hash === 'string' && typeof expiresAt === 'number' && isRecord(transaction))
    return { hash, expiresAt, transaction: { Version1: transaction.Version1 } }
  throw new ClaimError(
    'pending_file',
    `${path} holds no signed transaction; look up what became of the claim`,
  )
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
