import type { DatabaseSchema } from '@wattfeed/base/disk'
import { senderTables } from '@wattfeed/casper/sqlite'

/** A file with the sender's tables alone. Its id is that of the agent's state, so that a test of the agent can open it too. */
export const storeSchema: DatabaseSchema = { applicationId: 0x77_61_74_74, migrations: [senderTables] }
