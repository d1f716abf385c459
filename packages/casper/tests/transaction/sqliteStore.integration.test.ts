import { describe, expect, test } from 'bun:test'
import { hostname } from 'node:os'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { openStateFile, StateFileError } from '@wattfeed/base/disk'
import { createFolder } from '@wattfeed/testing/folder'
import { hasPidNamespaces, inPidNamespace } from '@wattfeed/testing/pidNamespace'
import { createSqliteStore, type KeyUse } from '../../src/sqlite/sqliteStore.ts'
import type { Settled } from '../../src/transaction/settlement.ts'
import { BalanceError, type Pending } from '../../src/transaction/transactionStore.ts'
import { storeSchema } from '../support/storeSchema.ts'

const TestPurpose = Type.Object({ kind: Type.Literal('test'), keys: Type.Array(Type.String()) })

/** A key is in use. */
class TakenError extends Error {
  constructor(
    readonly key: string,
    readonly use: KeyUse,
  ) {
    super(`${key} is taken`)
  }
}

const destination = { chainName: 'casper-net-1', contract: 'ab'.repeat(32), account: 'account-hash-01' }
const UNTIL = 1_800_000_000_000

/** A process with a store on a folder. */
function openProcess(folder: string, changes: Partial<typeof destination> = {}, purpose = 'test') {
  const state = openStateFile(`${folder}/wattfeed.db`, storeSchema, { purpose })
  const store = createSqliteStore({
    state,
    destination: { ...destination, ...changes },
    purpose: TestPurpose,
    keysOf: (purpose) => Value.Decode(TestPurpose, purpose).keys,
    taken: (key, use) => new TakenError(key, use),
  })
  return { ...store, state, [Symbol.dispose]: () => state[Symbol.dispose]() }
}

const pendingOf = (digit: string, keys: string[] = [], payment = 2_500n): Pending => ({
  chain_name: destination.chainName,
  purpose: { kind: 'test', keys },
  transaction_hash: digit.repeat(64),
  expires_at: UNTIL,
  payment_motes: `${payment}`,
  transaction: { Version1: { hash: digit.repeat(64) } },
})

const executedIn = (blockHeight: number) => ({ outcome: 'executed', executed: { blockHeight } }) as Settled
const expired = { outcome: 'expired', executed: null } as Settled

function takenBy(work: () => unknown): TakenError {
  try {
    work()
  } catch (error) {
    if (error instanceof TakenError) return error
    throw error
  }
  throw new Error('nothing was taken')
}

const module = new URL('../support/sqliteStoreHolder.ts', import.meta.url).pathname

/** A real process that holds the key A until it is killed. */
async function startHolder(folder: string, before: readonly string[] = []) {
  const child = Bun.spawn([...before, process.execPath, module, folder], { stdin: 'pipe', stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('held\n')
  return {
    pid: child.pid,
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

describe('keys', () => {
  test('default: a key that another process holds is taken, with its holder; others are free, and all after a kill', async () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    const holder = await startHolder(folder.path)
    const use = { pending: null, holder: { id: holder.pid, host: hostname(), purpose: 'backfill' } }
    expect(takenBy(() => own.claim(['B', 'A']))).toMatchObject({ key: 'A', use })
    expect(takenBy(() => own.hold('A'))).toMatchObject({ use })
    expect(takenBy(() => own.assertFree('A'))).toMatchObject({ use })
    own.assertFree('B')
    own.release(own.claim(['B']))
    await holder.kill()
    own.assertFree('A')
    own.release(own.claim(['A']))
  })

  test.skipIf(!hasPidNamespaces)('behavior: a process of another container holds it, too', async () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    const holder = await startHolder(folder.path, inPidNamespace)
    expect(takenBy(() => own.claim(['A']))).toMatchObject({ use: { holder: { id: 1 } } })
    await holder.kill()
  })

  test('behavior: a process may hold a key several times; it is free when the last hold ends', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    using other = openProcess(folder.path)
    const [whole, part] = [own.hold('A'), own.hold('A')]
    const claim = own.claim(['A'])
    own.release(claim)
    part[Symbol.dispose]()
    part[Symbol.dispose]()
    takenBy(() => other.claim(['A']))
    whole[Symbol.dispose]()
    other.release(other.claim(['A']))
  })

  test('behavior: of two calls of one process, the second waits; a failed claim takes nothing', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    const claim = own.claim(['A'])
    expect(takenBy(() => own.claim(['B', 'A']))).toMatchObject({
      key: 'A',
      use: { pending: null, holder: null },
    })
    own.release(own.claim(['B']))
    own.release(claim)
    own.release(own.claim(['A']))
  })

  test('behavior: any text is a key, and another destination has its own', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    using other = openProcess(folder.path, { account: 'account-hash-02' })
    for (const key of ['../../etc/passwd', 'x'.repeat(1_000), '', 'ÄÖ\0']) {
      using _ = own.hold(key)
      using __ = other.hold(key)
    }
  })
})

describe('stored transactions', () => {
  test('default: a transaction keeps its key until it is settled, whoever follows it', () => {
    using folder = createFolder()
    const pending = pendingOf('a', ['A'])
    {
      using first = openProcess(folder.path)
      first.write(first.claim(['A']), pending)
    }
    using next = openProcess(folder.path)
    expect(takenBy(() => next.claim(['A']))).toMatchObject({ use: { pending, holder: null } })
    expect(takenBy(() => next.assertFree('A'))).toMatchObject({ use: { pending } })
    const [adopted] = next.adopt()
    expect([adopted?.pending, next.list(), next.adopt()]).toEqual([pending, [pending], []])
    if (adopted === undefined) throw new Error('nothing was left')
    next.settle(adopted.claim, pending, executedIn(5))
    next.release(adopted.claim)
    expect(next.list()).toEqual([])
    next.release(next.claim(['A']))
  })

  test('behavior: another process adopts it once it is released, or its process has ended', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    using other = openProcess(folder.path)
    const claim = own.claim(['A'])
    own.write(claim, pendingOf('a', ['A']))
    expect(other.adopt()).toEqual([])
    own.release(claim)
    expect(other.adopt()).toHaveLength(1)
    expect(own.adopt()).toEqual([])
  })

  test('behavior: a key that another process holds keeps its transaction from being adopted', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    using backfill = openProcess(folder.path)
    const claim = own.claim(['A'])
    own.write(claim, pendingOf('a', ['A']))
    own.release(claim)
    {
      using _ = backfill.hold('A')
      expect(own.adopt()).toEqual([])
    }
    expect(own.adopt()).toHaveLength(1)
  })

  test('behavior: a second transaction of a key breaks a constraint, and is not stored', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    own.write(own.claim([]), pendingOf('a', ['A']))
    expect(() => own.write(own.claim([]), pendingOf('b', ['A']))).toThrow(StateFileError)
    expect(own.list()).toEqual([pendingOf('a', ['A'])])
    // The same one changes nothing.
    own.write(own.claim([]), pendingOf('a', ['A']))
    expect(own.list()).toHaveLength(1)
  })

  test('error: a row that cannot be understood stops everything', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    own.write(own.claim([]), pendingOf('a', ['A']))
    own.state.database.run(`UPDATE pending SET body = '{"Version1":{"hash":"cd"}}'`)
    for (const work of [own.list, own.adopt, () => own.claim(['A'])])
      expect(work).toThrow(`has the transaction ${'a'.repeat(64)} in a form that this version cannot read`)
  })
})

describe('reservations', () => {
  const balance = (motes: bigint, height = 10, time = 1) => ({ motes, height, time })
  const needs = (work: () => void): bigint | null => {
    try {
      work()
      return null
    } catch (error) {
      if (error instanceof BalanceError) return error.neededMotes
      throw error
    }
  }

  test('default: all of an account on its chain count, of other contracts and processes, too', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    using other = openProcess(folder.path, { contract: 'cd'.repeat(32) })
    using stranger = openProcess(folder.path, { account: 'account-hash-02' })
    own.reserve(own.claim([]), 60n, balance(100n))
    expect(needs(() => other.reserve(other.claim([]), 60n, balance(100n)))).toBe(120n)
    expect(needs(() => stranger.reserve(stranger.claim([]), 60n, balance(100n)))).toBeNull()
    expect(needs(() => own.reserve(own.claim([]), 1n, { motes: null, height: 1, time: 1 }))).toBe(61n)
  })

  test('behavior: a process that ended before it signed has reserved nothing', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    {
      using killed = openProcess(folder.path)
      killed.reserve(killed.claim([]), 60n, balance(100n))
    }
    expect(needs(() => own.reserve(own.claim([]), 100n, balance(100n)))).toBeNull()
  })

  test('behavior: a charge is free once a balance was read at its block; an expired one at once', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    const [charged, over] = [pendingOf('a', [], 60n), pendingOf('b', [], 30n)]
    for (const [pending, settled] of [
      [charged, executedIn(11)],
      [over, expired],
    ] as const) {
      const claim = own.claim([])
      own.write(claim, pending)
      own.settle(claim, pending, settled)
    }
    expect(needs(() => own.reserve(own.claim([]), 50n, balance(100n, 10)))).toBe(110n)
    expect(needs(() => own.reserve(own.claim([]), 50n, balance(100n, 11)))).toBeNull()
  })

  test('behavior: a chain that was started again has lower blocks, later than the expiry', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    const claim = own.claim([])
    own.write(claim, pendingOf('a', [], 60n))
    own.settle(claim, pendingOf('a', [], 60n), executedIn(1_000))
    expect(needs(() => own.reserve(own.claim([]), 100n, balance(100n, 1, UNTIL)))).toBe(160n)
    expect(needs(() => own.reserve(own.claim([]), 100n, balance(100n, 1, UNTIL + 1)))).toBeNull()
  })
})

describe('a write that fails', () => {
  test('behavior: an outcome that cannot be written is written before the next step', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    const claim = own.claim(['A'])
    own.write(claim, pendingOf('a', ['A']))
    own.state.database.run('PRAGMA query_only = ON')
    expect(() => own.settle(claim, pendingOf('a', ['A']), executedIn(5))).toThrow(StateFileError)
    own.release(claim)
    expect([own.list().length, takeFails(own)]).toEqual([1, true])
    own.state.database.run('PRAGMA query_only = OFF')
    own.release(own.claim(['A']))
    expect(own.list()).toEqual([])
  })

  const takeFails = (own: ReturnType<typeof openProcess>): boolean => {
    try {
      own.claim(['B'])
      return false
    } catch (error) {
      return error instanceof StateFileError
    }
  }

  test('behavior: a claim that cannot be released is released before the next step', () => {
    using folder = createFolder()
    using own = openProcess(folder.path)
    using other = openProcess(folder.path)
    const claim = own.claim(['A'])
    own.state.database.run('PRAGMA query_only = ON')
    own.release(claim)
    takenBy(() => other.claim(['A']))
    own.state.database.run('PRAGMA query_only = OFF')
    own.release(own.claim(['B']))
    other.release(other.claim(['A']))
  })
})
