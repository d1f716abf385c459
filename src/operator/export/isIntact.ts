import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { DataFile } from './manifest.ts'

/** Returns whether the file at a place has the size and the hash that its manifest says. */
export async function isIntact(
  location: string,
  { bytes, sha256 }: Pick<DataFile, 'bytes' | 'sha256'>,
): Promise<boolean> {
  return (await hasSize(location, bytes)) && (await sha256OfFile(location)) === sha256
}

export async function hasSize(location: string, bytes: number): Promise<boolean> {
  const found = await stat(location).catch(() => null)
  return found?.size === bytes
}

export async function sha256OfFile(location: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of createReadStream(location)) hasher.update(chunk)
  return hasher.digest('hex')
}
