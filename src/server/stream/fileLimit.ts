import { readFileSync } from 'node:fs'
import type { Log } from '../../runtime/log.ts'

/** Returns how many files this process may open, on Linux; null where that is unknown or there is no limit. */
function openFileLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? null : Number(limit)
  } catch {
    return null
  }
}

// For connections to nodes, requests and the log.
const OTHER_FILES = 200

/** Warns where the system lets the server hold fewer streams than it may. */
export function warnOfFileLimit(maxStreams: number, log: Pick<Log, 'warn'>, limit = openFileLimit()): void {
  if (limit === null || limit >= maxStreams + OTHER_FILES) return
  log.warn(
    { limit, maxStreams },
    'fewer files may be open than MAX_STREAMS needs: raise the limit (ulimit -n)',
  )
}
