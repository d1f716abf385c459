import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { WattfeedError } from '../../errors.ts'

/** Another process works with the same state. */
export class LockedError extends WattfeedError {
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
        : `${path} is held by process ${holder}`,
    )
  }
}

/** What this process holds. A file with its id that is not among these was left by one before it, as in a container. */
const held = new Set<string>()

/**
 * Holds a file that only one living process may hold; disposing of it gives it back. What a dead process left
 * behind is taken over.
 *
 * Throws a {@link LockedError} that names the holder.
 */
export async function acquireLock(path: string): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true })
  if (!(await create(path))) {
    const holder = await readHolder(path)
    if (holder === null || isAlive(holder, path)) throw new LockedError(path, holder)
    await rm(path, { force: true })
    if (!(await create(path))) throw new LockedError(path, await readHolder(path))
  }
  held.add(path)
  return { [Symbol.asyncDispose]: () => release(path) }
}

async function release(path: string): Promise<void> {
  held.delete(path)
  await rm(path, { force: true })
}

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(`${process.pid}\n`)
    await file.close()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function readHolder(path: string): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch(() => '')
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
