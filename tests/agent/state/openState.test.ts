import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { createFolder } from '@wattfeed/testing/folder'
import { openState, stateOf } from '../../../src/agent/state/openState.ts'
import { createState, statePath } from '../../support/state.ts'

const destinationOf = (account: string) => ({ chainName: 'casper-net-1', contract: 'cd'.repeat(32), account })

describe('stateOf', () => {
  test('default: each destination has an id, which is the same for every process', () => {
    using state = createState()
    const [a, b] = [stateOf(state.file, destinationOf('a')), stateOf(state.file, destinationOf('b'))]
    expect(a.destinationId()).not.toBe(b.destinationId())
    using other = openState(state.folder.path, { purpose: 'test' })
    expect(stateOf(other, destinationOf('b')).destinationId()).toBe(b.destinationId())
  })

  test('behavior: an id whose write was rolled back is not used', () => {
    using state = createState()
    const [a, b] = [stateOf(state.file, destinationOf('a')), stateOf(state.file, destinationOf('b'))]
    const fail = () =>
      state.file.write(() => {
        a.destinationId()
        throw new Error('full')
      })
    expect(fail).toThrow('full')
    expect(b.destinationId()).not.toBe(a.destinationId())
  })
})

describe('a dry run', () => {
  test('default: a folder without a file counts as empty, and stays so', () => {
    using folder = createFolder()
    using file = openState(folder.path, { purpose: 'test', isDryRun: true })
    stateOf(file, destinationOf('a')).destinationId()
    expect(existsSync(statePath(folder.path))).toBeFalse()
  })

  test('behavior: the copy enforces what the file does', () => {
    using state = createState()
    stateOf(state.file, destinationOf('a')).destinationId()
    using file = openState(state.folder.path, { purpose: 'test', isDryRun: true })
    const orphan =
      "INSERT INTO settled_block (destination_id, feed_id, height, before) VALUES (99, 'A', 1, 2)"
    for (const { database } of [state.file, file])
      expect(() => database.run(orphan)).toThrow('FOREIGN KEY constraint failed')
  })

  test('error: a later write that fails returns its error, as that of the file does', () => {
    using state = createState()
    using file = openState(state.folder.path, { purpose: 'test', isDryRun: true })
    for (const { database, writeLater } of [state.file, file])
      expect(writeLater(() => void database.run('INSERT INTO absent VALUES (1)'))).toMatchObject({
        code: 'state_file',
      })
  })
})
