import { createRedact, isSystemError, systemMessage, WattfeedError } from '@wattfeed/base'
import { pendingTransactions } from '@wattfeed/casper/sqlite'
import { createLog, type Log, type LogLevel, type OpenLog } from './log.ts'
import { SettingsError } from './settings/settings.ts'

type Redact = (text: string) => string

/** Opens the log that `work` writes to, once the level and the secrets are known. */
type OpenRedacted = (level: LogLevel, secrets: readonly string[]) => { log: Log; redact: Redact }

interface Unattended {
  name: string
  abandon: AbortSignal
  wait: (ms: number) => Promise<void>
  exitCodes: { failed: number; abandoned: number }
  /** Called with an expected error that ends the program. */
  onError?: (error: Error, redact: Redact) => void
}

/** Runs `work` to its end and returns its exit code. An error that ends it is logged. */
export async function runUnattended(
  { name, abandon, wait, exitCodes, onError }: Unattended,
  work: (openRedacted: OpenRedacted) => Promise<number>,
): Promise<number> {
  let open: OpenLog = createLog({ level: 'info' })
  let redact: Redact = (text) => text
  const openRedacted: OpenRedacted = (level, secrets) => {
    redact = createRedact(secrets)
    open = createLog({ level, redact })
    return { log: open.log, redact }
  }
  const abandoned = untilAbandoned(abandon, wait, () => open.log).then(() => exitCodes.abandoned)
  try {
    return await Promise.race([work(openRedacted), abandoned])
  } catch (error) {
    if (error instanceof WattfeedError || isSystemError(error)) onError?.(error, redact)
    logFailure(name, open.log, error)
    return exitCodes.failed
  } finally {
    await open.flush()
  }
}

/** How long abandoned work may take to end. */
const LEAVE_MS = 1_000

/** Resolves if abandoned work does not end by itself, because a call hangs. */
async function untilAbandoned(
  abandon: AbortSignal,
  wait: Unattended['wait'],
  getLog: () => Log,
): Promise<void> {
  await new Promise((resolve) => abandon.addEventListener('abort', resolve, { once: true }))
  await wait(LEAVE_MS)
  const log = getLog()
  for (const [transaction_hash, path] of pendingTransactions)
    log.warn({ transaction_hash, path }, 'transaction still in flight; the next run resumes it')
  log.warn({}, 'shutdown timed out with a call still pending; exiting')
}

function logFailure(program: string, log: Log, error: unknown): void {
  if (error instanceof SettingsError)
    for (const fault of error.faults)
      log.error({ program, code: error.code, error: fault }, 'invalid setting')
  else if (error instanceof WattfeedError)
    log.error({ program, code: error.code, error: error.message }, 'program failed')
  else if (isSystemError(error))
    log.error({ program, code: 'system', error: systemMessage(error) }, 'program failed')
  else log.error({ program, err: error }, 'internal error')
}
