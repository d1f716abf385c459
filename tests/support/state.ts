import { join } from 'node:path'
import type { StateFile } from '@wattfeed/base/disk'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { openState, stateFileName } from '../../src/agent/state/openState.ts'

/** A state folder of its own, with its file open. */
export interface TestState extends Disposable {
  readonly folder: Folder
  readonly file: StateFile
}

/** Creates a state folder and opens its file, until disposed of. */
export function createState(purpose = 'test'): TestState {
  const folder = createFolder()
  const file = openState(folder.path, { purpose })
  return {
    folder,
    file,
    [Symbol.dispose]() {
      file[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** Makes a state folder so old that nothing sent from a lost one can still be executed: agents attest at once. */
export function ageState(stateDir: string): void {
  using file = openState(stateDir, { purpose: 'test' })
  file.write(() => file.database.query('UPDATE origin SET created_at = 0, first_block_time = 0').run())
}

/** Lists the hashes of the transactions that a state folder has as pending, of all programs. */
export function pendingHashes(stateDir: string): string[] {
  using file = openState(stateDir, { purpose: 'test', isDryRun: true })
  return file.database
    .query<{ transaction_hash: string }, []>('SELECT transaction_hash FROM pending ORDER BY rowid')
    .all()
    .map(({ transaction_hash }) => transaction_hash)
}

/** Lists the feeds that a state folder's processes hold. */
export function heldFeeds(stateDir: string): string[] {
  using file = openState(stateDir, { purpose: 'test', isDryRun: true })
  return file.database
    .query<{ key: string }, []>('SELECT key FROM held_key ORDER BY key')
    .all()
    .map(({ key }) => key)
}

/** Returns the path of a state folder's file. */
export const statePath = (stateDir: string): string => join(stateDir, stateFileName)
