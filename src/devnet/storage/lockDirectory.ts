import { join } from 'node:path'
import { WattfeedError } from '../../errors.ts'
import { acquireLock, LockedError } from '../../program/lockFile.ts'

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

/**
 * Holds a directory until it is disposed of. What a dead process left behind is taken over.
 *
 * Throws a {@link DirectoryInUseError}.
 */
export function lockDirectory(directory: string): Disposable {
  try {
    return acquireLock(join(directory, 'lock'))
  } catch (error) {
    if (error instanceof LockedError) throw new DirectoryInUseError(error.path, error.holder)
    throw error
  }
}
