import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import type { ByteWriter } from './byteWriter.ts'
import { type ClType, readClType, writeClType } from './clType.ts'

/** Who may call an entry point: anyone, whoever holds a URef of one of the groups, no one. */
export type EntryPointAccess = 'Public' | 'Template' | { readonly Groups: readonly string[] }

/** In whose context an entry point runs. */
export type EntryPointType = 'Caller' | 'Called' | 'Factory'

/** A function of a contract that can be called. */
export interface EntryPoint {
  readonly name: string
  readonly args: readonly { readonly name: string; readonly clType: ClType }[]
  readonly ret: ClType
  readonly access: EntryPointAccess
  readonly entryPointType: EntryPointType
}

const accessTags = { Public: 1, Groups: 2, Template: 3 } as const
const typeTags: Readonly<Record<EntryPointType, number>> = { Caller: 0, Called: 1, Factory: 0x80 }

export function writeEntryPoint(writer: ByteWriter, entryPoint: EntryPoint): ByteWriter {
  const { name, args, ret, access, entryPointType } = entryPoint
  writer.string(name).u32(args.length)
  for (const arg of args) writeClType(writer.string(arg.name), arg.clType)
  return writeAccess(writeClType(writer, ret), access).u8(typeTags[entryPointType])
}

function writeAccess(writer: ByteWriter, access: EntryPointAccess): ByteWriter {
  if (typeof access === 'string') return writer.u8(accessTags[access])
  writer.u8(accessTags.Groups).u32(access.Groups.length)
  for (const group of access.Groups) writer.string(group)
  return writer
}

/** Throws a `DecodeError`. */
export function readEntryPoint(cursor: Cursor): EntryPoint {
  const name = cursor.string()
  const args = []
  for (let rest = cursor.u32(); rest > 0; rest--)
    args.push({ name: cursor.string(), clType: readClType(cursor) })
  return {
    name,
    args,
    ret: readClType(cursor),
    access: readAccess(cursor),
    entryPointType: readType(cursor),
  }
}

function readAccess(cursor: Cursor): EntryPointAccess {
  const tag = cursor.u8()
  if (tag === accessTags.Public) return 'Public'
  if (tag === accessTags.Template) return 'Template'
  if (tag !== accessTags.Groups) throw new DecodeError('EntryPoint', `no access ${tag}`)
  const groups: string[] = []
  for (let rest = cursor.u32(); rest > 0; rest--) groups.push(cursor.string())
  return { Groups: groups }
}

function readType(cursor: Cursor): EntryPointType {
  const tag = cursor.u8()
  if (tag === typeTags.Caller) return 'Caller'
  if (tag === typeTags.Called) return 'Called'
  if (tag === typeTags.Factory) return 'Factory'
  throw new DecodeError('EntryPoint', `no type ${tag}`)
}

export function entryPointJson({ name, args, ret, access, entryPointType }: EntryPoint): object {
  return {
    name,
    args: args.map((arg) => ({ name: arg.name, cl_type: arg.clType })),
    ret,
    access,
    entry_point_type: entryPointType,
  }
}
