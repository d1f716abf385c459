import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Lists the paths of the files of pending transactions of a state folder, on all chains and at all contracts. */
export function pendingFiles(stateDir: string): string[] {
  const folder = join(stateDir, 'pending')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() || entry.name.endsWith('.new'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}
