import { expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createFolder } from '@wattfeed/testing/folder'
import { isTicketOf, openTickets, ticketOf } from '../../../../src/agent/committee/http/ticketFile.ts'

const silent = { warn() {} }
const ticket = 'ab'.repeat(32)

test('default: what was issued and received is the same after a restart, in a file that only its owner reads', async () => {
  using folder = createFolder()
  const before = await openTickets(folder.path, silent)
  const issued = ticketOf(before.secret, 'alice')
  before.received.set('bob', ticket)
  await before[Symbol.asyncDispose]()
  expect(statSync(`${folder.path}/tickets.json`).mode & 0o777).toBe(0o600)
  await using after = await openTickets(folder.path, silent)
  expect([isTicketOf(after.secret, 'alice', issued), isTicketOf(after.secret, 'bob', issued)]).toEqual([
    true,
    false,
  ])
  expect(after.received.get('bob')).toBe(ticket)
})

test('behavior: members do not share a secret', async () => {
  using folder = createFolder()
  await using one = await openTickets(`${folder.path}/one`, silent)
  await using other = await openTickets(`${folder.path}/other`, silent)
  expect(isTicketOf(other.secret, 'alice', ticketOf(one.secret, 'alice'))).toBeFalse()
})

test('error: a broken file is named and replaced', async () => {
  using folder = createFolder()
  const path = `${folder.path}/tickets.json`
  writeFileSync(path, '{"secret":')
  const warned: unknown[] = []
  const log = { warn: (fields: object, message?: string) => warned.push([fields, message]) }
  await using _ = await openTickets(folder.path, log)
  expect(warned).toEqual([
    [
      { path, err: new Error(`${path} is not a file of tickets: it is not JSON; it is replaced`) },
      'tickets of the committee are not on disk',
    ],
  ])
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ received: {} })
})

test('error: with a folder that cannot be written, tickets last until the process ends', async () => {
  using folder = createFolder()
  const file = folder.write('file', '')
  const warned: unknown[] = []
  await using tickets = await openTickets(file, { warn: (_, message) => warned.push(message) })
  expect(isTicketOf(tickets.secret, 'alice', ticketOf(tickets.secret, 'alice'))).toBeTrue()
  tickets.received.set('bob', ticket)
  expect(tickets.received.get('bob')).toBe(ticket)
  expect(warned).toContain('tickets of the committee are not on disk')
})
