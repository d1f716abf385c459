import { type StaticDecode, type TSchema, Type } from '@sinclair/typebox'
import { isRecord } from '../../casper/types/isRecord.ts'
import { checkValue, readJsonFile } from '../../runtime/readJsonFile.ts'
import { ProverError } from './proverError.ts'

/** Reads a JSON file; null if it does not exist. @throws {ProverError} without any of its content. */
export const readJson = (path: string, kind: FileKind): Promise<unknown> =>
  readJsonFile(path, {
    schema: Type.Unknown(),
    kind: `a file of "wattfeed eligibility"`,
    cure: 'it was not changed; use another file',
    fail: failOf(path, kind),
  })

const failOf = (path: string, kind: FileKind) => (rule: string) =>
  new ProverError(`${kind}_file`, `${path} ${rule}`)

/** Reads a file of one kind, whose content is no secret; null if it does not exist. @throws {ProverError} */
export async function readKind<T extends TSchema>(
  path: string,
  { kind, schema, cure }: { kind: FileKind; schema: T; cure: string },
): Promise<StaticDecode<T> | null> {
  const value = await readJson(path, kind)
  if (value === null) return null
  assertKind(value, kind, path)
  return checkValue(value, { schema, kind: `a ${kind} file`, cure, fail: failOf(path, kind) })
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
  throw failOf(path, kind)(`${what}; it was not changed; use the ${kind} file`)
}
