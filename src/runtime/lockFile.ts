import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { WattfeedError } from '../errors.ts'
import { systemReason } from './systemReason.ts'

/** Another process works with the same state. */
export class LockedError extends WattfeedError {
  static override readonly name = 'LockedError'
  readonly code = 'locked'
  readonly retryable = true

  constructor(
    readonly path: string,
    /** The other process's id, or null where its file does not tell. */
    readonly holder: number | null,
  ) {
    super(
      holder === null
        ? `${path} is held by another process; remove it if none runs`
        : `${path} is held by process ${holder}; wait for its end, or stop it`,
    )
  }
}

/** What this process holds. A file with its id that is not among these was left by one before it, as in a container. */
const held = new Set<string>()
let attempts = 0

/**
 * Holds a file that only one living process may hold; disposing of it gives it back. What a dead process left
 * behind is taken over.
 *
 * Throws a {@link LockedError} that names the holder.
 *
 * @example
 * ```ts
 * using _ = acquireLock(join(stateDir, 'lock'))
 * ```
 */
export function acquireLock(path: string): Disposable {
  mkdirSync(dirname(path), { recursive: true })
  if (!create(path)) {
    const holder = readHolder(path)
    if (holder === null || isAlive(holder, path)) throw new LockedError(path, holder)
    removeLeft(path, holder)
    if (!create(path)) throw new LockedError(path, readHolder(path))
  }
  held.add(path)
  return { [Symbol.dispose]: () => release(path) }
}

function release(path: string): void {
  held.delete(path)
  rmSync(path, { force: true })
}

/** The file appears with its text in it: one that was cut off by a crash would name no holder. */
function create(path: string): boolean {
  const own = `${path}.${process.pid}.${++attempts}.new`
  try {
    writeFileSync(own, `${process.pid}\n`, { mode: 0o600 })
    linkSync(own, path)
    return true
  } catch (error) {
    if (systemReason(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own, { force: true })
  }
}

/** Two may find the same dead holder: the second finds the file moved, or the first one's, which it puts back. */
function removeLeft(path: string, holder: number): void {
  const left = `${path}.${process.pid}.left`
  try {
    renameSync(path, left)
  } catch (error) {
    if (systemReason(error) === 'ENOENT') return
    throw error
  }
  if (readHolder(left) !== holder) putBack(left, path)
  rmSync(left, { force: true })
}

function putBack(left: string, path: string): void {
  try {
    linkSync(left, path)
  } catch {
    // Somebody has taken it meanwhile.
  }
}

function readHolder(path: string): number | null {
  const text = readText(path)
  return /^\d+\n$/.test(text) ? Number(text) : null
}

/** Nothing where the file is gone: its holder has given it back. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function isAlive(processId: number, path: string): boolean {
  if (processId === process.pid) return held.has(path)
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // One that may not be signalled is there.
    return systemReason(error) === 'EPERM'
  }
}
