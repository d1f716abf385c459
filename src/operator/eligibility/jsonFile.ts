import { type StaticDecode, type TSchema, Type } from '@sinclair/typebox'
import { isRecord } from '@wattfeed/casper/types'
import { checkValue, readJsonFile } from '../../runtime/readJsonFile.ts'
import { ProverError } from './proverError.ts'

const kinds = ['identity', 'group', 'proof'] as const
export type FileKind = (typeof kinds)[number]

/** A field that only files of this kind have. */
const marks: Readonly<Record<FileKind, string>> = {
  identity: 'private_key',
  group: 'members',
  proof: 'nullifier',
}

/** Reads a JSON file; null if it does not exist. @throws {ProverError} without any of its content. */
export const readJson = (path: string, kind: FileKind): Promise<unknown> =>
  readJsonFile(path, {
    schema: Type.Unknown(),
    kind: `a file of "wattfeed eligibility"`,
    cure: 'it was not changed; use another file',
    fail: failOf(path, kind),
  })

/** Reads a file of one kind, whose content is no secret; null if it does not exist. */
export async function readFileOfKind<T extends TSchema>(
  path: string,
  { kind, schema, cure }: { kind: FileKind; schema: T; cure: string },
): Promise<StaticDecode<T> | null> {
  const value = await readJson(path, kind)
  if (value === null) return null
  assertKind(value, kind, path)
  return checkValue(value, { schema, kind: `a ${kind} file`, cure, fail: failOf(path, kind) })
}

/** Asserts that a file is of one kind, so that it may be read and replaced as such. */
export function assertKind(value: unknown, kind: FileKind, path: string): void {
  const found = isRecord(value) ? kinds.find((each) => marks[each] in value) : undefined
  if (found === kind) return
  const named = (name: FileKind): string => `${name === 'identity' ? 'an' : 'a'} ${name} file`
  const what = found === undefined ? `is not ${named(kind)}` : `is ${named(found)}`
  throw failOf(path, kind)(`${what}; it was not changed; use the ${kind} file`)
}

const failOf = (path: string, kind: FileKind) => (rule: string) =>
  new ProverError({ reason: `${kind}_file`, message: `${path} ${rule}` })
