import { join } from 'node:path'
import { type DatabaseSchema, openStateFile, type StateFile } from '@wattfeed/base/disk'
import { type Destination, destinationId, senderTables } from '@wattfeed/casper/sqlite'
import { openStateCopy } from './openStateCopy.ts'
import { agentTables, rootTables } from './tables.ts'

export const stateFileName = 'wattfeed.db'

export const stateSchema: DatabaseSchema = {
  applicationId: 0x77_61_74_74,
  migrations: [senderTables + agentTables, rootTables],
}

/**
 * Opens the state of the agent and of the commands that pay: what they have promised and not yet seen settled. Several
 * processes may share it.
 *
 * @param stateDir `AGENT_STATE_DIR`
 * @throws {StateFileError | UnlockableError}
 */
export function openState(
  stateDir: string,
  options: {
    /** What this process does: a word that others show. */
    purpose: string
    /**
     * Whether nothing may be written. Then a folder without the file counts as empty, and changes are lost. If this user may not
     * see the folder, it is an error. @default false
     */
    isDryRun?: boolean
  },
): StateFile {
  const { purpose, isDryRun = false } = options
  const path = join(stateDir, stateFileName)
  if (isDryRun) return openStateCopy(path, stateSchema)
  using resources = new DisposableStack()
  const file = resources.use(openStateFile(path, stateSchema, { purpose }))
  file.write(() =>
    file.database
      .query(
        // A clock that was ahead and is right again must not make the file new for as long as it was wrong.
        `INSERT INTO origin (id, created_at) VALUES (1, ?)
          ON CONFLICT DO UPDATE SET created_at = excluded.created_at WHERE created_at > excluded.created_at`,
      )
      .run(Date.now()),
  )
  resources.move()
  return file
}

/** The state of one account's attestations at one registry. */
export interface AgentState {
  readonly file: StateFile
  readonly destination: Destination
  /** Returns the destination's id in the tables. */
  destinationId(): number
}

/** Returns the state of one destination in a file. */
export function stateOf(file: StateFile, destination: Destination): AgentState {
  let id: number | null = null
  return {
    file,
    destination,
    destinationId() {
      if (id !== null) return id
      const found = destinationId(file, destination)
      // A row that is new in a database transaction disappears if that fails.
      if (!file.database.inTransaction) id = found
      return found
    },
  }
}
