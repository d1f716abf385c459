import { encodeHex } from '@wattfeed/base'
import { httpFiles } from '../src/httpFiles.ts'

/** Reads two files of 8,192 bytes below a URL, in any runtime: with that limit, and with less. Returns hex or the error. */
export async function readAll(url: string): Promise<Record<string, string[]>> {
  const files = httpFiles(url)
  const read = (name: string, maxBytes: number) =>
    files.read(name, maxBytes).then(
      (bytes) => encodeHex(bytes ?? new Uint8Array()),
      ({ message }: Error) => message,
    )
  const both = async (name: string) => [await read(name, 8_192), await read(name, 8_191)]
  return { tile: await both('tile'), text: await both('text') }
}
