import { createByteWriter } from '../../bytes/byteWriter.ts'

/** `bytesrepr` of a `u32`. */
export const encodeU32 = (value: number): Uint8Array => createByteWriter(4).u32(value).finish()

/** `bytesrepr` of a `u64`. */
export const encodeU64 = (value: bigint): Uint8Array => createByteWriter(8).u64(value).finish()

/** `bytesrepr` of a `String`: length in bytes, then UTF-8. */
export const encodeText = (text: string): Uint8Array => createByteWriter().string(text).finish()

/** `bytesrepr` of `Bytes`: length, then the bytes. */
export const encodeBytes = (bytes: Uint8Array): Uint8Array =>
  createByteWriter(4 + bytes.length)
    .byteList(bytes)
    .finish()
