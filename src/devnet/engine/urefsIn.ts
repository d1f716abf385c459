import { createCursor, DecodeError } from '../../bytes/cursor.ts'
import { type ClType, isKeyType } from '../../casper/types/clType.ts'
import type { ClValue } from '../../casper/types/clValue.ts'
import { accessRights, keyTags } from '../../casper/types/key.ts'
import { readKey } from '../../casper/types/keyKinds.ts'

/**
 * Lists the URefs in a value, as views of its bytes. Like a node, it finds a single key, and keys in a list, an option, a
 * result, a map or a tuple of simple types.
 *
 * @throws {DecodeError} when the bytes do not match the type
 */
export function urefsIn({ clType, bytes }: ClValue): Uint8Array[] {
  const inner = innerTypes(clType)
  if (!inner.some(isKeyType) || !inner.every((type) => typeof type === 'string' && type !== 'Any')) return []
  const walk = createWalk(bytes)
  walk.read(clType)
  walk.end()
  return walk.urefs
}

/** Removes the write right from all URefs with an address: contracts cannot write to a purse that is passed to them. */
export function withoutWriteRight(value: ClValue, address: Uint8Array): ClValue {
  const attenuated = { ...value, bytes: value.bytes.slice() }
  for (const uref of urefsIn(attenuated))
    if (isSame(uref.subarray(0, 32), address)) uref[32] = (uref[32] ?? 0) & ~accessRights.write
  return attenuated
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, index) => byte === b[index])

/** Returns the types directly inside a type. For a simple type, returns the type itself. */
function innerTypes(type: ClType): readonly ClType[] {
  if (typeof type === 'string') return [type]
  if ('Option' in type) return [type.Option]
  if ('List' in type) return [type.List]
  if ('Result' in type) return [type.Result.ok, type.Result.err]
  if ('Map' in type) return [type.Map.key, type.Map.value]
  if ('Tuple1' in type) return type.Tuple1
  if ('Tuple2' in type) return type.Tuple2
  if ('Tuple3' in type) return type.Tuple3
  return []
}

function createWalk(bytes: Uint8Array) {
  const urefs: Uint8Array[] = []
  let offset = 0
  const advance = (length: number): Uint8Array => {
    if (length > bytes.length - offset)
      throw new DecodeError(
        'CLValue',
        `expected ${length} bytes at offset ${offset}, input has ${bytes.length}`,
        'early_end_of_stream',
      )
    offset += length
    return bytes.subarray(offset - length, offset)
  }
  const readCount = (): number => createCursor(advance(4), 'CLValue').u32()
  const readTag = (): number => {
    const [tag = 0] = advance(1)
    if (tag > 1) throw new DecodeError('CLValue', `tag ${tag}`)
    return tag
  }
  const readSimple = (type: ClType): void => {
    if (type === 'String') advance(readCount())
    else if (type === 'U128' || type === 'U256' || type === 'U512') advance(advance(1)[0] ?? 0)
    else if (type === 'PublicKey') advance(advance(1)[0] === 1 ? 32 : 33)
    else if (type === 'URef') urefs.push(advance(33))
    else if (type === 'Key') {
      const key = advance(readKey(createCursor(bytes.subarray(offset), 'Key')).length)
      if (key[0] === keyTags.uref) urefs.push(key.subarray(1))
    } else advance(typeof type === 'string' ? (lengths[type] ?? 0) : 0)
  }
  const read = (type: ClType): void => {
    if (typeof type === 'string') readSimple(type)
    else if ('Option' in type) {
      if (readTag() === 1) readSimple(type.Option)
    } else if ('Result' in type) readSimple(readTag() === 1 ? type.Result.ok : type.Result.err)
    else if ('List' in type || 'Map' in type)
      for (let rest = readCount(); rest > 0; rest--) innerTypes(type).forEach(readSimple)
    else innerTypes(type).forEach(readSimple)
  }
  return {
    urefs,
    read,
    end() {
      if (offset !== bytes.length)
        throw new DecodeError('CLValue', `${bytes.length - offset} trailing bytes`, 'left_over_bytes')
    },
  }
}

const lengths: Readonly<Partial<Record<string, number>>> = { Bool: 1, U8: 1, I32: 4, U32: 4, I64: 8, U64: 8 }
