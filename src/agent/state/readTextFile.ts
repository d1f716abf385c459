import { readFile } from 'node:fs/promises'
import { systemReason } from '../../runtime/systemReason.ts'

/** The text of a file, or null where it is not there. Throws what the system throws where it cannot be read. */
export async function readTextFile(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error) => {
    if (systemReason(error) === 'ENOENT') return null
    throw error
  })
}
