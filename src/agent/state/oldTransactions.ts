import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { StateFileError } from '../../runtime/database.ts'

/**
 * Asserts that a folder has no transactions of an earlier version, which stored each in a file: they may still be executed.
 *
 * @throws {StateFileError}
 */
export function assertNoOldTransactions(stateDir: string): void {
  const live = ['pending', 'committee'].flatMap((name) =>
    listFiles(join(stateDir, name)).filter(
      (path) => /\/[0-9a-f]{64}\.json$/.test(path) && !path.includes('/ends/'),
    ),
  )
  const [path] = live
  if (path === undefined) return
  throw new StateFileError({
    path,
    rule: `is a transaction of an earlier version of wattfeed, and may still be executed (files like this: ${live.length}). Run the earlier version until it has nothing in flight. Or look up the transactions that the files are named after. Remove each file once its transaction is executed or expired, at the latest 2 hours after it was written`,
  })
}

const listFiles = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
    : []
