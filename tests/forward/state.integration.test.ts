import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { hasSmallDisks, onSmallDisk } from '@wattfeed/testing/smallDisk'
import type { DeadLetter } from '../../src/forward/deadLetter.ts'
import { openState } from '../../src/forward/state.ts'
import { createForwardFolder } from './forwardWorld.ts'

const positionAt = (count: number): string => `0f3c9a1e-7b2d4c88-5e1f0a9b.f1.a${count}`

const letterOf = (id: string, others: Partial<DeadLetter> = {}): DeadLetter => ({
  id,
  type: 'attested',
  feed_id: 'TEST.FEED.0',
  position: positionAt(7),
  failed_at: 1_795_000_000_123,
  attempts: 12,
  status: null,
  reason: 'no connection',
  body: '{"amount":"18446744073709551616","text":"é\\u0000"}',
  ...others,
})

const reset = letterOf('r', { type: 'reset', feed_id: null, status: 422, reason: 'HTTP 422' })

/** The error of opening a folder. */
const refusal = (folder: string, options = {}) =>
  errorOf((async () => openState(folder, options)[Symbol.dispose]())())

describe('the state of a forwarder', () => {
  test('default: position and dead letters outlive the process, the letters oldest first', async () => {
    using folder = createForwardFolder()
    {
      using state = openState(folder.path)
      expect([state.readPosition(), state.listDeadLetters()]).toEqual([null, []])
      for (const count of [1, 2, 2]) state.savePosition(positionAt(count))
      for (const letter of [letterOf('b'), reset, letterOf('a')]) state.addDeadLetter(letter)
      state.savePosition(positionAt(9))
    }
    using state = openState(folder.path)
    expect(state.readPosition()).toBe(positionAt(9))
    expect(state.listDeadLetters()).toEqual([letterOf('b'), reset, letterOf('a')])
    expect(readdirSync(folder.path).toSorted()).toEqual(['forward.db', 'forward.db-shm', 'forward.db-wal'])
  })

  test('behavior: a dead letter moves the position; one that fails again or is removed does not', async () => {
    using folder = createForwardFolder()
    using state = openState(folder.path)
    state.savePosition(positionAt(1))
    state.addDeadLetter(letterOf('a', { position: positionAt(2) }))
    state.addDeadLetter(letterOf('b', { position: positionAt(3) }))
    expect(state.readPosition()).toBe(positionAt(3))
    const again = { ...reset, id: 'a', position: positionAt(8), failed_at: 5, attempts: 1, body: '{}' }
    state.updateDeadLetter(again)
    expect(state.listDeadLetters()).toEqual([again, letterOf('b', { position: positionAt(3) })])
    state.removeDeadLetter('a')
    state.removeDeadLetter('none')
    expect([state.readPosition(), state.listDeadLetters().map(({ id }) => id)]).toEqual([
      positionAt(3),
      ['b'],
    ])
  })

  test('behavior: neither the dead letter nor the position is stored if one cannot be', async () => {
    using folder = createForwardFolder()
    using state = openState(folder.path)
    state.savePosition(positionAt(1))
    using database = new Database(join(folder.path, 'forward.db'))
    database.run("CREATE TRIGGER fail BEFORE UPDATE ON position BEGIN SELECT RAISE(ABORT, 'no'); END")
    expect(() => state.addDeadLetter(letterOf('a'))).toThrow(
      `${folder.path}/forward.db cannot be used (SQLITE_CONSTRAINT_TRIGGER: no)`,
    )
    expect([state.readPosition(), state.listDeadLetters()]).toEqual([positionAt(1), []])
  })

  test('behavior: the file says what each of its columns means', async () => {
    using folder = createForwardFolder()
    using _ = openState(folder.path)
    using database = new Database(join(folder.path, 'forward.db'))
    const tables = database.query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table'",
    )
    const columns = tables.all().flatMap(({ name, sql }) => {
      expect(sql).toEndWith(') STRICT')
      const names = database
        .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
        .all(name)
      return names.map((column) => [
        column.name,
        sql.match(new RegExp(`^ *${column.name} .* -- \\S`, 'm')) !== null,
      ])
    })
    expect(columns).toHaveLength(2 + 10)
    expect(columns.filter(([, isExplained]) => !isExplained)).toEqual([])
  })

  test('behavior: what docs/forward.md shows reads and copies a file in use', async () => {
    using folder = createForwardFolder()
    using backup = createForwardFolder()
    using state = openState(folder.path)
    state.addDeadLetter(letterOf('a'))
    const page = readFileSync(new URL('../../docs/forward.md', import.meta.url), 'utf8')
    const [select = '', copy = '', ...others] = [
      ...page.matchAll(/^sqlite3 \.wattfeed\/forward\/forward\.db (['"])(.*)\1$/gm),
    ].map(([, , statement]) => statement)
    expect(others).toEqual([])
    {
      using database = new Database(join(folder.path, 'forward.db'))
      expect(database.query(select).all()).toEqual([{ id: 'a', status: null, reason: 'no connection' }])
      database.run(copy.replace('forward-backup.db', join(backup.path, 'forward.db')))
    }
    expect([backup.position(), await backup.letters()]).toEqual([positionAt(7), [letterOf('a')]])
  })
})

/** Runs a program in another process, which has `openState`, `fillDisk`, `folder` and `letter`. Returns its output. */
async function inProcess(folder: string, program: string, before: readonly string[] = []): Promise<string> {
  const [state, disk] = [
    import.meta.resolve('../../src/forward/state.ts'),
    import.meta.resolve('@wattfeed/testing/fillDisk'),
  ]
  const child = Bun.spawn(
    [
      ...before,
      process.execPath,
      '--eval',
      `const { openState } = await import('${state}')
       const { fillDisk } = await import('${disk}')
       const [folder, letter] = ${JSON.stringify([folder, letterOf('a')])}
       const messageOf = async (work) => { try { await work(); return 'none' } catch (error) { return error.message } }
       ${program}`,
    ],
    { stdout: 'pipe' },
  )
  return new Response(child.stdout).text()
}

describe('forward.db that cannot be used', () => {
  test.skipIf(!hasSmallDisks)(
    'error: on a full disk: what was stored stays, and it goes on when there is space',
    async () => {
      using folder = createFolder()
      const program = `
      const said = []
      {
        using state = openState(folder)
        state.savePosition('before')
        {
          using _ = fillDisk(folder)
          said.push(await messageOf(() => state.addDeadLetter({ ...letter, body: 'large'.repeat(10_000) })))
          said.push(state.readPosition(), state.listDeadLetters().length)
        }
        state.addDeadLetter(letter)
      }
      using state = openState(folder)
      console.log(JSON.stringify([...said, state.readPosition(), state.listDeadLetters()]))`
      expect(JSON.parse(await inProcess(folder.path, program, onSmallDisk(folder.path)))).toEqual([
        `${folder.path}/forward.db cannot be written (SQLITE_FULL): the disk is full: free some space`,
        ...['before', 0, positionAt(7), [letterOf('a')]],
      ])
    },
  )

  test('error: in a read-only folder', async () => {
    using folder = createForwardFolder()
    chmodSync(folder.path, 0o555)
    const program = `
      // Root may write everything.
      if (process.getuid() === 0) process.setuid(65534)
      console.log(await messageOf(() => openState(folder)))`
    expect(await inProcess(folder.path, program)).toBe(
      `${folder.path}/forward.db cannot be used (EACCES): let this user write there\n`,
    )
  })

  test('error: one whose pages are damaged', async () => {
    using folder = createForwardFolder()
    {
      using state = openState(folder.path)
      state.addDeadLetter(letterOf('a'))
    }
    const file = openSync(join(folder.path, 'forward.db'), 'r+')
    writeSync(file, new Uint8Array(4_096).fill(0xff), 0, 4_096, 4_096)
    closeSync(file)
    expect((await refusal(folder.path)).message).toMatch(
      /forward\.db is damaged \(.*\); stop all programs that use it, and restore a backup or remove the file, as docs\/errors\.md/,
    )
  })

  test('error: one of a newer version', async () => {
    using folder = createForwardFolder()
    await folder.letters()
    {
      using database = new Database(join(folder.path, 'forward.db'))
      database.run('PRAGMA user_version = 2')
    }
    expect((await refusal(folder.path)).message).toMatch(
      /was written by a newer version of wattfeed \(its tables have version 2, this program knows 1\); use that version$/,
    )
  })

  test('error: on a network file system', async () => {
    using folder = createForwardFolder()
    expect((await refusal(folder.path, { fileSystemOf: () => 0x69_69 })).message).toContain(
      'forward.db is on a shared file system (NFS)',
    )
  })
})
