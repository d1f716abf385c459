// cspell:ignore Btrfs CANTOPEN mkfifo
import { Database } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { hasSmallDisks, onSmallDisk } from '@wattfeed/testing/smallDisk'
import {
  type DatabaseSchema,
  openDatabase,
  orStateFileError,
  writeTransaction,
} from '../../src/disk/database.ts'

const first: DatabaseSchema = {
  applicationId: 0x7766_ffff,
  migrations: [
    `CREATE TABLE feed (id TEXT PRIMARY KEY) STRICT;
     CREATE TABLE value (number INTEGER PRIMARY KEY, feed TEXT NOT NULL REFERENCES feed, text TEXT NOT NULL) STRICT;
     INSERT INTO feed VALUES ('A')`,
  ],
}
const second: DatabaseSchema = {
  ...first,
  migrations: [...first.migrations, "INSERT INTO value (feed, text) VALUES ('A', 'of the second version')"],
}

const add = (database: Database, text: string): void => {
  database.run("INSERT INTO value (feed, text) VALUES ('A', ?)", [text])
}

const textsOf = (database: Database): string[] =>
  database
    .query<{ text: string }, []>('SELECT text FROM value ORDER BY number')
    .all()
    .map(({ text }) => text)

/** The error of opening a file, as a promise. */
const refusal = (path: string, schema = first, options = {}) =>
  errorOf((async () => openDatabase(path, schema, options)[Symbol.dispose]())())

const modules = {
  database: import.meta.resolve('../../src/disk/database.ts'),
  fillDisk: import.meta.resolve('@wattfeed/testing/fillDisk'),
}

/** Starts a program that has the functions of `database.ts`, `fillDisk`, `path` and `schema`. */
const spawn = (path: string, program: string, before: readonly string[] = []) =>
  Bun.spawn(
    [
      ...before,
      process.execPath,
      '--eval',
      `const { openDatabase, orStateFileError, writeTransaction } = await import('${modules.database}')
       const { fillDisk } = await import('${modules.fillDisk}')
       const [path, schema] = ${JSON.stringify([path, second])}
       const messageOf = (work) => { try { work(); return 'none' } catch (error) { return error.message } }
       ${program}`,
    ],
    { stdin: 'pipe', stdout: 'pipe' },
  )

const printed = (child: ReturnType<typeof spawn>): Promise<string> => new Response(child.stdout).text()

describe('openDatabase', () => {
  test('default: a file for its owner only, whose transactions are on disk when they are committed', () => {
    using folder = createFolder()
    const path = join(folder.path, 'state/of/a.db')
    using database = openDatabase(path, first)
    add(database, 'one')
    const modes = ['state', 'state/of', 'state/of/a.db', 'state/of/a.db-shm', 'state/of/a.db-wal']
    expect(modes.map((name) => statSync(join(folder.path, name)).mode & 0o777)).toEqual([
      ...[0o700, 0o700, 0o600, 0o600, 0o600],
    ])
    const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'application_id', 'user_version']
    expect(pragmas.map((name) => Object.values(database.query(`PRAGMA ${name}`).get() ?? {})[0])).toEqual([
      ...['wal', 2, 1, first.applicationId, 1],
    ])
    expect(() => database.run("INSERT INTO value (feed, text) VALUES ('B', '')")).toThrow('FOREIGN KEY')
  })

  test('behavior: a file stays what it is when it is opened again, and no file remains beside it', () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    for (const text of ['one', 'two']) {
      using database = openDatabase(path, first)
      add(database, text)
    }
    expect(readdirSync(folder.path)).toEqual(['a.db'])
    using database = openDatabase(path, first)
    expect(textsOf(database)).toEqual(['one', 'two'])
  })

  test('behavior: an older file gets what the newer version adds, once', () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    openDatabase(path, first)[Symbol.dispose]()
    for (const _ of [1, 2]) openDatabase(path, second)[Symbol.dispose]()
    using database = openDatabase(path, second)
    expect(textsOf(database)).toEqual(['of the second version'])
  })

  test('behavior: a reader sees what is committed, and cannot write', () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    using writer = openDatabase(path, first)
    using reader = openDatabase(path, first, { isReadOnly: true })
    add(writer, 'one')
    expect(textsOf(reader)).toEqual(['one'])
    expect(() => orStateFileError(path, () => add(reader, 'two'))).toThrow(
      `${path} cannot be written (SQLITE_READONLY): let this user write there`,
    )
  })

  test('behavior: a nested transaction that fails is undone, the outer one is not; neither if the outer one fails', () => {
    using folder = createFolder()
    using database = openDatabase(join(folder.path, 'a.db'), first)
    const fail = (): never => {
      throw new Error('no')
    }
    const inner = database.transaction((end: () => void) => {
      add(database, 'inner')
      end()
    })
    const outer = database.transaction((end: () => void) => {
      add(database, 'outer')
      expect(() => inner(fail)).toThrow('no')
      end()
    })
    outer.immediate(() => {})
    expect(() => outer.immediate(fail)).toThrow('no')
    expect(() => outer.immediate(() => inner(() => {}))).not.toThrow()
    expect(textsOf(database)).toEqual(['outer', 'outer', 'inner'])
  })

  test('behavior: several processes create, migrate and write each of many files at once', async () => {
    using folder = createFolder()
    const path = join(folder.path, 'state/a.db')
    const turns = Array.from({ length: 20 }, (_, turn) => turn)
    const program = `
      console.log('ready')
      await Bun.stdin.text()
      for (const turn of ${JSON.stringify(turns)}) {
        using database = openDatabase(path + turn, schema)
        const insert = () => database.run("INSERT INTO value (feed, text) VALUES ('A', ?)", [process.pid])
        writeTransaction(database, insert)
      }
      console.log('done')`
    const children = Array.from({ length: 5 }, () => spawn(path, program))
    const outputs = children.map(({ stdout }) => stdout.pipeThrough(new TextDecoderStream()).getReader())
    for (const output of outputs) expect((await output.read()).value).toBe('ready\n')
    for (const { stdin } of children) stdin.end()
    for (const output of outputs) expect((await output.read()).value).toBe('done\n')
    const written = children.map(({ pid }) => `${pid}`).toSorted()
    for (const turn of turns) {
      using database = openDatabase(`${path}${turn}`, second)
      const [migrated, ...texts] = textsOf(database)
      expect([turn, migrated, texts.toSorted()]).toEqual([turn, 'of the second version', written])
    }
  })

  test('behavior: a file that another process is creating is waited for', () => {
    using folder = createFolder()
    const path = folder.write('a.db', '')
    using other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    using pause = spyOn(Bun, 'sleepSync').mockImplementation(() => {
      if (pause.mock.calls.length === 3) other.run('ROLLBACK')
    })
    using database = openDatabase(path, first)
    expect([pause.mock.calls, textsOf(database)]).toEqual([[[10], [10], [10]], []])
  })

  test('behavior: a process that is killed in a transaction leaves nothing of it', async () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    const child = spawn(
      path,
      `using database = openDatabase(path, schema)
       const add = (text) => database.run("INSERT INTO value (feed, text) VALUES ('A', ?)", [text])
       database.transaction(() => add('whole')).immediate()
       database.transaction(() => {
         // More than SQLite keeps in memory.
         for (let row = 0; row < 2_000; row++) add('half'.repeat(2_000))
         process.kill(process.pid, 'SIGKILL')
       }).immediate()`,
    )
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')
    using database = openDatabase(path, second)
    expect(textsOf(database)).toEqual(['of the second version', 'whole'])
  })

  test('behavior: a write waits for another process that writes, and looks often enough to find a short pause', () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    using holder = openDatabase(path, first)
    using database = openDatabase(path, first)
    expect(database.query('PRAGMA busy_timeout').get()).toEqual({ timeout: 50 })
    holder.run('BEGIN IMMEDIATE')
    using pause = spyOn(Bun, 'sleepSync').mockImplementation(() => {
      if (pause.mock.calls.length === 3) holder.run('ROLLBACK')
    })
    writeTransaction(database, () => add(database, 'one'))
    expect([pause.mock.calls, textsOf(database)]).toEqual([[[10], [10], [10]], ['one']])
  })

  test('error: a lock that another process holds for too long', () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    using holder = openDatabase(path, first)
    using database = openDatabase(path, first)
    // The test does not wait.
    database.run('PRAGMA busy_timeout = 0')
    using _ = spyOn(Bun, 'sleepSync').mockImplementation(() => {})
    let seconds = 0
    using _clock = spyOn(Bun, 'nanoseconds').mockImplementation(() => seconds++ * 1_000_000_000)
    holder
      .transaction(() => {
        expect(() =>
          orStateFileError(path, () => writeTransaction(database, () => add(database, 'one'))),
        ).toThrow(`${path} is in use by another process for more than 5 s; try again`)
      })
      .immediate()
    expect(seconds).toBe(6)
    add(database, 'two')
    expect(textsOf(database)).toEqual(['two'])
  })
})

/** Overwrites a page of a closed file, from 1, with ones. */
function overwritePage(path: string, page: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, new Uint8Array(4_096).fill(0xff), 0, 4_096, (page - 1) * 4_096)
  closeSync(file)
}

const restore =
  'stop all programs that use it, and restore a backup or remove the file, as docs/errors.md describes under state_file'

describe('openDatabase with a file that it must not use', () => {
  const refused: [string, string, (path: string) => void][] = [
    [
      'of a newer version',
      'was written by a newer version of wattfeed (its tables have version 2, this program knows 1); use that version',
      (path) => openDatabase(path, second)[Symbol.dispose](),
    ],
    [
      'of another kind',
      'is not a file of this program; move it away, or name another folder',
      (path) => openDatabase(path, { ...first, applicationId: 1 })[Symbol.dispose](),
    ],
    [
      'of another program that numbers nothing',
      'is not a file of this program; move it away, or name another folder',
      (path) => {
        using database = new Database(path)
        database.run('CREATE TABLE other (id)')
      },
    ],
    [
      'that is no database',
      `is damaged (file is not a database); ${restore}`,
      (path) => writeFileSync(path, 'text, not a database\n'.repeat(1_000)),
    ],
    [
      'whose first page is damaged',
      `is damaged (file is not a database); ${restore}`,
      (path) => {
        openDatabase(path, first)[Symbol.dispose]()
        overwritePage(path, 1)
      },
    ],
    [
      'one of whose pages is damaged',
      `is damaged (Tree 4 page 4: btreeInitPage() returns error code 11); ${restore}`,
      (path) => {
        {
          using database = openDatabase(path, first)
          add(database, 'one')
        }
        overwritePage(path, 4)
      },
    ],
  ]
  test.each(refused)('error: a file %s: it is not changed', async (_, rule, create) => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    create(path)
    const before = readFileSync(path)
    for (const isReadOnly of [false, true]) {
      const error = await refusal(path, first, { isReadOnly })
      expect<unknown>([{ ...error }, error.message]).toEqual([
        { code: 'state_file', retryable: false, path, rule },
        `${path} ${rule}`,
      ])
    }
    expect(readFileSync(path).equals(before)).toBeTrue()
  })

  test.each(['a.db', 'folder/a.db'])('error: %s does not exist, and is only to be read', async (name) => {
    using folder = createFolder()
    const path = join(folder.path, name)
    expect((await refusal(path, first, { isReadOnly: true })).message).toBe(`${path} does not exist`)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('error: a file in the place of the folder, and a folder in the place of the file', async () => {
    using folder = createFolder()
    folder.write('file', '')
    mkdirSync(join(folder.path, 'folder'))
    expect((await refusal(join(folder.path, 'file/a.db'))).message).toEndWith(
      'file/a.db cannot be used (EEXIST): let this user write there',
    )
    expect((await refusal(join(folder.path, 'folder'))).message).toEndWith(
      'folder is not a regular file; move it away',
    )
  })
})

test('error: a pipe in the place of the file: opening it would wait for ever', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0)
  for (const isReadOnly of [false, true])
    expect((await refusal(path, first, { isReadOnly })).message).toEndWith(
      'a.db is not a regular file; move it away',
    )
})

describe.skipIf(process.platform !== 'linux')('openDatabase on a file system', () => {
  test.each([
    ['NFS', 0x69_69],
    ['SMB', 0x51_7b],
    ['SMB', 0xff_53_4d_42],
    ['SMB', 0xfe_53_4d_42],
    // The system's number has a sign.
    ['SMB', 0xff_53_4d_42 | 0],
    ['9P, a folder shared with a virtual machine', 0x01_02_19_97],
    ['FUSE, such as a shared folder of Docker Desktop', 0x65_73_55_46],
    ['a shared folder of VirtualBox', 0x78_6f_42_56],
    ['AFS', 0x53_46_41_4f],
    ['Ceph', 0x00_c3_64_00],
    ['Lustre', 0x0b_d0_0b_d0],
  ])('error: %s, %p', async (name, type) => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    const asked: string[] = []
    const fileSystemOf = (at: string): number => {
      asked.push(at)
      return type
    }
    expect((await refusal(path, first, { fileSystemOf })).message).toBe(
      `${path} is on a shared file system (${name}), where two processes may not see each other's locks; use a folder on a local volume of one machine, in Docker a named volume`,
    )
    expect([asked, statSync(path).size]).toEqual([[folder.path], 0])
  })

  test.each([
    ['ext4', 0xef_53],
    ['XFS', 0x58_46_53_42],
    ['Btrfs', 0x91_23_68_3e | 0],
    ['overlay', 0x79_4c_76_30],
    ['tmpfs', 0x01_02_19_94],
  ])('default: %s', (_, type) => {
    using folder = createFolder()
    using database = openDatabase(join(folder.path, 'a.db'), first, { fileSystemOf: () => type })
    expect(textsOf(database)).toEqual([])
  })
})

describe('openDatabase without write permission', () => {
  /** Root may write everything. */
  const asAnother = (path: string, isReadOnly: boolean) =>
    spawn(
      path,
      `if (process.getuid() === 0) process.setuid(65534)
       console.log(messageOf(() => openDatabase(path, schema, { isReadOnly: ${isReadOnly} })))`,
    )

  test.each([
    ['a new file in a read-only folder', 0o555, null, false, 'used (EACCES): let this user write there'],
    [
      'a file in a read-only folder',
      0o555,
      0o666,
      false,
      'written (SQLITE_READONLY_DIRECTORY): let this user write there',
    ],
    [
      'a file in a read-only folder, only to be read',
      0o555,
      0o644,
      true,
      'written (SQLITE_READONLY_DIRECTORY): let this user write there',
    ],
    ['a read-only file', 0o777, 0o444, false, 'used (EACCES): let this user write there'],
    ["another user's file", 0o777, 0o600, true, 'read (EACCES): let this user read it'],
  ])('error: %s', async (_, folderMode, fileMode, isReadOnly, what) => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    if (fileMode !== null) {
      openDatabase(path, second)[Symbol.dispose]()
      chmodSync(path, fileMode)
    }
    chmodSync(folder.path, folderMode)
    expect(await printed(asAnother(path, isReadOnly))).toBe(`${path} cannot be ${what}\n`)
  })
})

test.skipIf(!hasSmallDisks)(
  'error: a nearly full disk says so, whichever file of SQLite no longer fits',
  async () => {
    using folder = createFolder()
    const program = `
    const { rmSync, statSync, truncateSync } = await import('node:fs')
    const said = []
    for (let pages = 0; pages < 20; pages += 1) {
      {
        using _ = fillDisk('${folder.path}')
        const filling = '${folder.path}/filling'
        truncateSync(filling, statSync(filling).size - pages * 4_096)
        said.push(messageOf(() => openDatabase(path, schema)[Symbol.dispose]()))
      }
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
    }
    console.log(JSON.stringify(said))`
    const path = join(folder.path, 'a.db')
    const said: string[] = JSON.parse(await printed(spawn(path, program, onSmallDisk(folder.path))))
    const isNamed = (message: string) => message.endsWith(': the disk is full: free some space')
    expect(new Set(said.filter((message) => !isNamed(message)))).toEqual(new Set(['none']))
    // The memory that processes share is a file, too.
    expect(said).toContain(
      `${path} cannot be written (SQLITE_IOERR_SHMSIZE): the disk is full: free some space`,
    )
  },
)

test.skipIf(!hasSmallDisks)('error: a full disk, which loses nothing that was committed', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  const program = `
    const add = (database, text) => orStateFileError(path, () => {
      database.transaction(() => {
        for (let row = 0; row < 20; row++) database.run("INSERT INTO value (feed, text) VALUES ('A', ?)", [text])
      }).immediate()
    })
    const count = (database) => database.query("SELECT count(*) AS rows FROM value").get().rows
    const said = []
    {
      using _ = fillDisk(${JSON.stringify(folder.path)})
      said.push(messageOf(() => openDatabase(path, schema)))
    }
    {
      using database = openDatabase(path, schema)
      add(database, 'small')
      {
        using _ = fillDisk(${JSON.stringify(folder.path)})
        said.push(messageOf(() => add(database, 'large'.repeat(1_000))), count(database))
      }
      add(database, 'small')
    }
    using database = openDatabase(path, schema)
    console.log(JSON.stringify([...said, count(database)]))`
  const full = `${path} cannot be written (SQLITE_FULL): the disk is full: free some space`
  expect(JSON.parse(await printed(spawn(path, program, onSmallDisk(folder.path))))).toEqual([
    full,
    full,
    21,
    41,
  ])
  expect(readdirSync(folder.path)).toEqual([])
})
