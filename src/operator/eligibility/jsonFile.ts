import { isRecord } from '../../casper/types/isRecord.ts'
import { readTextFile } from '../../runtime/readTextFile.ts'
import { ProverError, type ProverReason } from './proverError.ts'

/** Reads a JSON file; null if it does not exist. @throws {ProverError} without any of its content. */
export async function readJson(path: string, reason: ProverReason): Promise<unknown> {
  const text = await readTextFile(path).catch((error) => {
    throw new ProverError(reason, `${path} cannot be read (${error.code}); let this user read it`)
  })
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    throw new ProverError(reason, `${path} is not JSON; it was left alone: name another file`)
  }
}

/** A kind of file that the prover writes. */
export type FileKind = 'identity' | 'group' | 'proof'

const marks = { identity: 'private_key', group: 'members', proof: 'nullifier' } as const

/** Tells by its content which kind of file this is; null if it is none. */
function kindOf(value: unknown): FileKind | null {
  const kinds = ['identity', 'group', 'proof'] as const
  return (isRecord(value) && kinds.find((kind) => marks[kind] in value)) || null
}

/** Asserts that a file is of one kind, so that it may be read and replaced as such. @throws {ProverError} */
export function assertKind(value: unknown, kind: FileKind, path: string): void {
  const found = kindOf(value)
  if (found === kind) return
  const what = found === null ? `is no ${kind} file` : `is an ${found} file`.replace(/an (?=[gp])/, 'a ')
  throw new ProverError(`${kind}_file`, `${path} ${what}; it was left alone: name the ${kind} file`)
}
