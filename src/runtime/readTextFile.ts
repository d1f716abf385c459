import { readFile } from 'node:fs/promises'
import { systemReason } from './systemReason.ts'

/** Reads a text file; null if it does not exist. @throws the system's error if it cannot be read. */
export async function readTextFile(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error) => {
    if (systemReason(error) === 'ENOENT') return null
    throw error
  })
}
