// cspell:ignore autocheckpoint
import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, statSync, truncateSync } from 'node:fs'
import { openDatabase, type StateFile } from '@wattfeed/base/disk'
import type { Settled } from '@wattfeed/casper/transaction'
import { createFolder } from '@wattfeed/testing/folder'
import { createRandom } from '@wattfeed/testing/random'
import { createAttestationStore } from '../../../src/agent/state/attestationStore.ts'
import { createAttestPurpose } from '../../../src/agent/state/attestPurpose.ts'
import { openState, stateOf, stateSchema } from '../../../src/agent/state/openState.ts'

const CUTS = 1_000
const destination = { chainName: 'casper-net-1', contract: 'ab'.repeat(32), account: 'account-hash-01' }

const tables = stateSchema.migrations.flatMap((sql) =>
  [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name),
)

/** All rows of all tables. */
const dump = ({ database }: Pick<StateFile, 'database'>): string =>
  JSON.stringify(tables.map((table) => database.query(`SELECT * FROM ${table} ORDER BY 1, 2`).all()))

/** Closing a file in this process would release SQLite's locks on it. */
async function copyOpen(from: string, to: string): Promise<void> {
  const child = Bun.spawn(['cp', `${from}/wattfeed.db`, `${from}/wattfeed.db-wal`, to])
  expect(await child.exited).toBe(0)
}

test('behavior: copies taken at each commit, with the log cut anywhere, open to a state that a commit made', async () => {
  using folder = createFolder()
  const states: string[] = []
  const copies: string[] = []
  {
    using file = openState(folder.path, { purpose: 'test' })
    // Else a checkpoint would empty the log.
    file.database.run('PRAGMA wal_autocheckpoint = 0')
    const store = createAttestationStore(stateOf(file, destination))
    const keep = async (): Promise<void> => {
      states.push(dump(file))
      const copy = `${folder.path}/copy${copies.length}`
      mkdirSync(copy)
      await copyOpen(folder.path, copy)
      copies.push(copy)
    }
    await keep()
    for (let index = 0; index < 6; index++) {
      const hash = `${index}`.repeat(64)
      const feed_id = `EIA.${index % 4}`
      const pending = {
        chain_name: destination.chainName,
        purpose: createAttestPurpose([{ feed_id, period: index, amount: 1n, source_hash: hash }]),
        transaction_hash: hash,
        expires_at: index,
        payment_motes: '1',
        transaction: { Version1: { hash } },
      }
      // A new destination is a commit of its own.
      const claim = store.claim([feed_id])
      await keep()
      store.reserve(claim, 1n, { motes: 1_000n, height: index, time: 0 })
      await keep()
      store.write(claim, pending)
      await keep()
      store.settle(claim, pending, { outcome: 'executed', executed: { blockHeight: index } } as Settled)
      await keep()
    }
  }
  const opening = `${folder.path}/opening`
  mkdirSync(opening)
  // The whole log has the newest commit.
  expect(copies.map((copy) => openCut(copy, opening, () => 1))).toEqual(states)
  const random = createRandom(7)
  const found = new Set<string>()
  for (let index = 0; index < CUTS; index++) {
    const copy = copies[Math.floor(random() * copies.length)]
    found.add(openCut(copy ?? '', opening, random))
  }
  expect([...found].filter((state) => !states.includes(state) && state !== EMPTY)).toEqual([])
  expect(found.size).toBeGreaterThan(copies.length / 2)
})

const EMPTY = JSON.stringify(tables.map(() => []))

/** Returns the state of a copy with a part of its log. Before the tables were created, it counts as empty. */
function openCut(copy: string, opening: string, part: () => number): string {
  const path = `${opening}/wattfeed.db`
  copyFileSync(`${copy}/wattfeed.db`, path)
  copyFileSync(`${copy}/wattfeed.db-wal`, `${path}-wal`)
  const { size } = statSync(`${path}-wal`)
  truncateSync(`${path}-wal`, Math.min(size, Math.floor(part() * (size + 1))))
  using database = openDatabase(path, stateSchema)
  return dump({ database })
}
