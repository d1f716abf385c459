import { readFileSync } from 'node:fs'
import type { Log } from '../../runtime/log.ts'

/** Returns how many files this process may open on Linux; null if that is unknown or unlimited. */
function openFileLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? null : Number(limit)
  } catch {
    return null
  }
}

// Files for connections to nodes, requests and the log.
const OTHER_FILES = 200

/** Warns if the system's limit of open files does not allow `maxStreams` streams. */
export function warnOfFileLimit(maxStreams: number, log: Pick<Log, 'warn'>, limit = openFileLimit()): void {
  if (limit === null || limit >= maxStreams + OTHER_FILES) return
  log.warn({ limit, maxStreams }, 'open file limit is too low for MAX_STREAMS')
}
