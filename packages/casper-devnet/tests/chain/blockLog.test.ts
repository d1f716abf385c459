import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { acquireLock, LockedError, StateFileError } from '@wattfeed/base/disk'
import { createFolder } from '@wattfeed/testing/folder'
import fc from 'fast-check'
import { type ChainIdentity, ForeignDataError, openBlockLog } from '../../src/chain/blockLog.ts'

const identity: ChainIdentity = { chainName: 'casper-devnet', seedHash: 'aa', accountsHash: 'bb' }

/** Opens the log of a folder, appends some records and closes it; returns its earlier contents. */
function session(directory: string, append: readonly unknown[] = [], as = identity): unknown[] {
  const records: unknown[] = []
  const log = openBlockLog(directory, as, (record) => records.push(record))
  try {
    for (const record of append) log.append(record)
  } finally {
    log.close()
  }
  return records
}

describe('openBlockLog', () => {
  test('default: appended records are replayed in order', () => {
    using folder = createFolder()
    const records = [{ height: 0, text: '°F\n€' }, [1, null], 'three']
    expect(session(folder.path, records.slice(0, 2))).toEqual([])
    expect(session(folder.path, records.slice(2))).toEqual(records.slice(0, 2))
    expect(session(folder.path)).toEqual(records)
  })

  test('behavior: any JSON is restored', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), (values) => {
        using other = createFolder()
        session(other.path, values)
        expect(session(other.path)).toEqual(JSON.parse(JSON.stringify(values)))
      }),
      { numRuns: 20 },
    )
  })

  test('behavior: another process sees a record when `append` returns', () => {
    using folder = createFolder()
    const log = openBlockLog(folder.path, identity, () => {})
    log.append({ height: 0 })
    {
      using other = new Database(join(folder.path, 'blocks.db'), { readonly: true })
      expect(other.query('SELECT json FROM record').values()).toEqual([['{"height":0}']])
    }
    log.close()
  })

  test('error: a file that is no log', () => {
    using folder = createFolder()
    const path = join(folder.path, 'blocks.db')
    writeFileSync(path, 'my notes, which are longer than the header of a database. '.repeat(20))
    const before = readFileSync(path)
    expect(() => session(folder.path)).toThrow(StateFileError)
    expect(readFileSync(path)).toEqual(before)
  })

  test('error: a damaged file', () => {
    using folder = createFolder()
    session(folder.path, [{ height: 0 }, { height: 1 }])
    const path = join(folder.path, 'blocks.db')
    const content = readFileSync(path)
    content.fill(7, 4096)
    writeFileSync(path, content)
    expect(() => session(folder.path)).toThrow(StateFileError)
  })

  test.each([
    ['name', { chainName: 'casper-test' }, 'its chain name is "casper-devnet", not "casper-test"'],
    ['seed', { seedHash: 'ab' }, 'its seed differs'],
    ['accounts', { accountsHash: 'bc' }, 'its genesis accounts differ'],
  ])('error: the directory of a chain with another %s', (_, change, rule) => {
    using folder = createFolder()
    session(folder.path, [{ height: 0 }])
    const open = () => session(folder.path, [], { ...identity, ...change })
    expect(open).toThrow(ForeignDataError)
    expect(open).toThrow(rule)
    expect(session(folder.path)).toEqual([{ height: 0 }])
  })

  test('error: a directory that is in use', () => {
    using folder = createFolder()
    const log = openBlockLog(folder.path, identity, () => {})
    expect(() => session(folder.path)).toThrow(LockedError)
    expect(() => acquireLock(join(folder.path, 'lock'))).toThrow(LockedError)
    log.close()
    expect(session(folder.path)).toEqual([])
  })

  // In a restarted container, a program may have the id of its killed predecessor. No process has the other.
  test.each([process.pid, 4_194_305])('behavior: a lock that process %d has left is taken over', (id) => {
    using folder = createFolder()
    folder.write('lock', `${id}\n`)
    expect(session(folder.path)).toEqual([])
  })
})
