import { readFile } from 'node:fs/promises'
import { ProverError, type ProverReason } from './proverError.ts'

/** Reads a JSON file; null if it does not exist. @throws {ProverError} without any of its content. */
export async function readJson(path: string, reason: ProverReason): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null
    throw new ProverError(reason, `${path} cannot be read (${error.code}); let this user read it`)
  })
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    throw new ProverError(reason, `${path} is not JSON; name another file`)
  }
}
