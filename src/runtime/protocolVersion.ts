import type { Log } from './log.ts'

/** The protocol versions that this release was tried with, the newest last. docs/verify.md says how each was. */
export const triedVersions = ['2.0.0', '2.2.2'] as const

/** The newest of {@link triedVersions}. */
export const NEWEST_TRIED = triedVersions[1]

/** Returns whether a protocol version, such as `2.10.0`, is newer than all that this release was tried with. */
export const isNewerThanTried = (version: string): boolean =>
  version.localeCompare(NEWEST_TRIED, 'en', { numeric: true }) > 0

/** Logs a protocol version of the network, when it is first read. */
export function logProtocolVersion(log: Pick<Log, 'info' | 'warn'>, protocol_version: string): void {
  log.info({ protocol_version }, 'the network runs this protocol version')
  if (isNewerThanTried(protocol_version))
    log.warn(
      { protocol_version, newest_tried: NEWEST_TRIED },
      'the network runs a newer protocol version than this release was tried with',
    )
}
