import { join } from 'node:path'
import {
  formatHolder,
  type LockHolder,
  type StateFile,
  StateFileError,
  UnlockableError,
} from '@wattfeed/base/disk'
import { readablePeriod } from '@wattfeed/eia'
import { formatTable } from '../../runtime/formatTable.ts'
import {
  type AnnouncedRootRow,
  listAnnouncedRoots,
  listRootDifferences,
  type RootDifferenceRow,
} from './announcedRoots.ts'
import { stateFileName, stateSchema } from './openState.ts'
import { isThere, openStateCopy } from './openStateCopy.ts'

interface Place {
  chain_name: string
  /** Package hash, 64 hex digits; for commands without one, what they act on. */
  contract: string
  /** `account-hash-…` */
  account: string
}

/** A transaction that a block may still include. */
interface LiveTransaction extends Place {
  transaction_hash: string
  /** `send`, or `approval` of a committee's transaction. */
  role: string
  /** The kind of program, such as `attest`. */
  kind: string
  feed_ids: string[]
  payment_motes: string
  /** ISO 8601; no later block may include it. */
  expires_at: string
  /** The process that follows it; null if none does. Its facts are null if this user may not see them. */
  followed_by: LockHolder | null
}

/** What a state folder has promised and not yet seen settled, as `agent status --json` prints it. */
export interface StateStatus {
  path: string
  /** Oldest first. */
  pending: LiveTransaction[]
  /** Feeds that a running process works on. */
  held: (Place & { feed_id: string; held_by: LockHolder })[]
  /** Payments of transactions that are not settled. */
  reserved: { chain_name: string; account: string; payment_motes: string; transactions: number }[]
  /** The block of each feed's last transaction. */
  settled: (Place & { feed_id: string; block_height: number })[]
  /** A member of a committee: the root of each dataset that each member holds. */
  announced: AnnouncedRootRow[]
  /** A member of a committee: the first value in which the snapshot of another one differs from its own. */
  differences: RootDifferenceRow[]
}

/**
 * Reads the state of a folder, also while programs use it, and as any user who may read it.
 *
 * @throws {StateFileError} also if the folder has no state
 */
export function readStateStatus(stateDir: string): StateStatus {
  const path = join(stateDir, stateFileName)
  if (!isThere(path))
    throw new StateFileError({
      path,
      rule: 'does not exist; set AGENT_STATE_DIR to the folder of an agent that has run',
    })
  using file = openStateCopy(path, stateSchema)
  return file.read(() => ({
    path,
    pending: readPending(file),
    held: readHeld(file),
    reserved: readReserved(file),
    settled: file.database
      .query<Place & { feed_id: string; block_height: number }, []>(
        `SELECT ${PLACE}, feed_id, height AS block_height
          FROM settled_block JOIN destination ON destination.id = destination_id ORDER BY feed_id`,
      )
      .all(),
    announced: listAnnouncedRoots(file),
    differences: listRootDifferences(file),
  }))
}

const PLACE = 'chain_name, contract, account'

function readPending(file: StateFile): LiveTransaction[] {
  interface Row extends Omit<LiveTransaction, 'feed_ids' | 'expires_at' | 'followed_by'> {
    keys: string
    expires_at: number
    owner: string | null
  }
  const rows = file.database
    .query<Row, []>(
      `SELECT transaction_hash, role, kind, ${PLACE}, payment_motes, expires_at, owner,
          (SELECT json_group_array(key) FROM pending_key WHERE pending_key.transaction_hash = pending.transaction_hash) AS keys
        FROM pending JOIN destination ON destination.id = destination_id ORDER BY pending.rowid`,
    )
    .all()
  return rows.map(({ keys, expires_at, owner, ...row }) => ({
    ...row,
    feed_ids: JSON.parse(keys),
    expires_at: new Date(expires_at).toISOString(),
    followed_by: owner === null ? null : holderOf(file, owner),
  }))
}

function readHeld(file: StateFile): StateStatus['held'] {
  return file.database
    .query<Place & { feed_id: string; owner: string }, []>(
      `SELECT ${PLACE}, key AS feed_id, owner FROM held_key JOIN destination ON destination.id = destination_id ORDER BY key`,
    )
    .all()
    .flatMap(({ owner, ...row }) => {
      const held_by = holderOf(file, owner)
      return held_by === null ? [] : [{ ...row, held_by }]
    })
}

function readReserved(file: StateFile): StateStatus['reserved'] {
  interface ReservationRow {
    chain_name: string
    account: string
    payment_motes: string
    owner: string
    transaction_hash: string | null
  }
  const byAccount = new Map<string, StateStatus['reserved'][number]>()
  const rows = file.database
    .query<ReservationRow, []>(
      'SELECT chain_name, account, payment_motes, owner, transaction_hash FROM reservation WHERE settled_height IS NULL ORDER BY chain_name, account',
    )
    .all()
    // One without a transaction is void once its process has ended.
    .filter((row) => row.transaction_hash !== null || holderOf(file, row.owner) !== null)
  for (const { chain_name, account, payment_motes } of rows) {
    const key = `${chain_name} ${account}`
    const { payment_motes: sum, transactions } = byAccount.get(key) ?? { payment_motes: '0', transactions: 0 }
    const total = `${BigInt(sum) + BigInt(payment_motes)}`
    byAccount.set(key, { chain_name, account, payment_motes: total, transactions: transactions + 1 })
  }
  return [...byAccount.values()]
}

/** Another user may not lock, and so cannot know whether the process runs: it may. */
function holderOf(file: StateFile, owner: string): LockHolder | null {
  try {
    return file.holderOf(owner)
  } catch (error) {
    if (!(error instanceof UnlockableError)) throw error
    return { id: null, host: null, purpose: null }
  }
}

export function formatStateStatus(status: StateStatus): string {
  const { path, pending, held, reserved, settled } = status
  const sections = [
    section(
      'In flight:',
      ['transaction', 'program', 'feeds', 'expires', 'followed by'],
      pending.map((each) => [
        each.transaction_hash,
        each.role === 'approval' ? 'approved for a committee' : each.kind,
        each.feed_ids.join(' '),
        each.expires_at,
        each.followed_by === null ? 'nobody; the next run resumes it' : holderText(each.followed_by),
      ]),
    ),
    section(
      'Feeds that a process works on:',
      ['feed', 'process'],
      held.map(({ feed_id, held_by }) => [feed_id, holderText(held_by)]),
    ),
    section(
      'Reserved payments:',
      ['account', 'chain', 'motes', 'transactions'],
      reserved.map((each) => [each.account, each.chain_name, each.payment_motes, `${each.transactions}`]),
    ),
    section(
      'Last transactions:',
      ['feed', 'chain', 'block'],
      settled.map(({ feed_id, chain_name, block_height }) => [feed_id, chain_name, `${block_height}`]),
    ),
    ...rootSections(status),
  ]
  return [path, ...sections].join('\n\n')
}

/** Only a member of a committee with datasets has roots. */
function rootSections({ announced, differences }: StateStatus): string[] {
  if (announced.length === 0) return []
  return [
    section(
      'Roots that members have announced:',
      ['feed', 'member', 'root', 'values', 'newest period', 'heard'],
      announced.map(({ feed_id, member, root, size, period, heard_at }) => [
        feed_id,
        member,
        root,
        `${size}`,
        readablePeriod(period),
        heard_at,
      ]),
    ),
    section(
      'Where their snapshots first differ from this one:',
      ['feed', 'member', 'value'],
      differences.map(({ feed_id, member, first }) => [feed_id, member, first]),
    ),
  ]
}

const holderText = (holder: LockHolder): string =>
  holder.id === null ? 'a process that this user may not see, and that may have ended' : formatHolder(holder)

const section = (title: string, head: string[], rows: string[][]): string =>
  rows.length === 0 ? `${title} none` : `${title}\n${formatTable([head, ...rows])}`
