import { readFile } from 'node:fs/promises'
import { ProverError, type ProverReason } from './proverError.ts'

/** The JSON in a file, or null where there is no file. Errors repeat nothing of what the file holds. */
export async function readJson(path: string, reason: ProverReason): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null
    throw new ProverError(reason, `${path} cannot be read (${error.code})`)
  })
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    throw new ProverError(reason, `${path} is not JSON`)
  }
}
