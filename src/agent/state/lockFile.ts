import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
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
let attempts = 0

/**
 * Holds a file that only one living process may hold; disposing of it gives it back. What a dead process left
 * behind is taken over.
 *
 * Throws a {@link LockedError} that names the holder.
 *
 * @example
 * ```ts
 * await using _ = await acquireLock(join(stateDir, 'lock'))
 * ```
 */
export async function acquireLock(path: string): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true })
  if (!(await create(path))) {
    const holder = await readHolder(path)
    if (holder === null || isAlive(holder, path)) throw new LockedError(path, holder)
    await removeLeft(path, holder)
    if (!(await create(path))) throw new LockedError(path, await readHolder(path))
  }
  held.add(path)
  return { [Symbol.asyncDispose]: () => release(path) }
}

async function release(path: string): Promise<void> {
  held.delete(path)
  await rm(path, { force: true })
}

/** The file appears with its text in it: one that was cut off by a crash would name no holder. */
async function create(path: string): Promise<boolean> {
  const own = `${path}.${process.pid}.${++attempts}.new`
  try {
    await writeFile(own, `${process.pid}\n`, { mode: 0o600 })
    await link(own, path)
    return true
  } catch (error) {
    if (isError(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

/** Two may find the same dead holder: the second finds the file moved, or the first one's, which it puts back. */
async function removeLeft(path: string, holder: number): Promise<void> {
  const left = `${path}.${process.pid}.left`
  try {
    await rename(path, left)
  } catch (error) {
    if (isError(error, 'ENOENT')) return
    throw error
  }
  if ((await readHolder(left)) !== holder) await link(left, path).catch(() => {})
  await rm(left, { force: true })
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
    return isError(error, 'EPERM')
  }
}

const isError = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
