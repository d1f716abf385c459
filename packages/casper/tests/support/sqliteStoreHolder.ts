import { Type } from '@sinclair/typebox'
import { openStateFile } from '@wattfeed/base/disk'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import { storeSchema } from './storeSchema.ts'

// Holds the key A until it is killed.
const [, , folder = ''] = process.argv
createSqliteStore({
  state: openStateFile(`${folder}/wattfeed.db`, storeSchema, { purpose: 'backfill' }),
  destination: { chainName: 'casper-net-1', contract: 'ab'.repeat(32), account: 'account-hash-01' },
  purpose: Type.Object({ kind: Type.Literal('test') }),
}).hold('A')
Bun.gc(true)
console.log('held')
await Bun.stdin.text()
