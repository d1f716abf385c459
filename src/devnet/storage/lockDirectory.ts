import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WattfeedError } from '../../errors.ts'

/** Another process writes into the same directory. */
export class DirectoryInUseError extends WattfeedError {
  readonly code = 'directory_in_use'
  readonly retryable = true

  constructor(
    readonly path: string,
    /** The other process's id, or null where the lock does not tell. */
    readonly holder: number | null,
  ) {
    super(
      holder === null
        ? `${path} is held by another process; remove it if none runs`
        : `${path} is held by process ${holder}; stop it first`,
    )
  }
}

/** What this process holds: a lock with its id that is not among these was left by one before it, as in a container. */
const held = new Set<string>()

/**
 * Holds a directory, and returns what gives it back. What a dead process left behind is taken over.
 *
 * Throws a {@link DirectoryInUseError}.
 */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'lock')
  if (!create(path)) {
    const holder = readHolder(path)
    if (holder === null || isAlive(holder, path)) throw new DirectoryInUseError(path, holder)
    rmSync(path, { force: true })
    if (!create(path)) throw new DirectoryInUseError(path, readHolder(path))
  }
  held.add(path)
  return () => {
    held.delete(path)
    rmSync(path, { force: true })
  }
}

function create(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** A lock without an id: its process died before it wrote one, or has not yet. */
function readHolder(path: string): number | null {
  const text = readFileSync(path, 'utf8')
  return /^\d+\n$/.test(text) ? Number(text) : null
}

function isAlive(processId: number, path: string): boolean {
  if (processId === process.pid) return held.has(path)
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // One that may not be signalled is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
