import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { writeAtomically } from '@wattfeed/base/disk'
import pLimit from 'p-limit'
import type { Log } from '../../../runtime/log.ts'
import { readJsonFile } from '../../../runtime/readJsonFile.ts'

const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

const Content = Type.Object({
  /** From which the tickets follow that this member issues. */
  secret: hash,
  /** What other members have issued to this one, by their account hashes. */
  received: Type.Record(Type.String(), hash),
})

/** The tickets that this member has received, by the account hashes of the members that have issued them. */
export type ReceivedTickets = Pick<Map<string, string>, 'get' | 'set'>

const digestOf = (secret: string, member: string): Buffer =>
  createHmac('sha256', Buffer.from(secret, 'hex')).update(member).digest()

/** Returns the ticket with which a member is known before its signature is checked. A stranger cannot have one. */
export const ticketOf = (secret: string, member: string): string => digestOf(secret, member).toString('hex')

export const isTicketOf = (secret: string, member: string, ticket: string): boolean =>
  /^[0-9a-f]{64}$/.test(ticket) && timingSafeEqual(Buffer.from(ticket, 'hex'), digestOf(secret, member))

/** Returns a new secret of a member's tickets, in hex. */
export const newTicketSecret = (): string => randomBytes(32).toString('hex')

/** The tickets of a member, on disk until it is disposed of. */
export interface TicketFile extends AsyncDisposable {
  /** From which the tickets follow that this member issues. */
  readonly secret: string
  readonly received: ReceivedTickets
}

/**
 * Opens the tickets in a member's folder. They survive its restarts: strangers could otherwise keep a member out that has
 * just started. Without the file, or with a broken one, the members give each other new tickets.
 */
export async function openTickets(folder: string, log: Pick<Log, 'warn'>): Promise<TicketFile> {
  const path = join(folder, 'tickets.json')
  const oneAtATime = pLimit(1)
  let isClosed = false
  const warn = (err: unknown) => log.warn({ path, err }, 'tickets of the committee are not on disk')
  const file = await readJsonFile(path, {
    schema: Content,
    kind: 'a file of tickets',
    cure: 'it is replaced',
    fail: (rule) => new Error(`${path} ${rule}`),
  }).catch((error) => {
    warn(error)
    return null
  })
  const secret = file?.secret ?? newTicketSecret()
  const received = new Map(Object.entries(file?.received ?? {}))
  const write = () =>
    oneAtATime(() =>
      writeAtomically(path, `${JSON.stringify({ secret, received: Object.fromEntries(received) })}\n`),
    ).catch(warn)
  if (file === null) await write()
  return {
    secret,
    received: {
      get: (member) => received.get(member),
      set(member, ticket) {
        const isNew = received.get(member) !== ticket
        received.set(member, ticket)
        if (isNew && !isClosed) void write()
        return received
      },
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await oneAtATime(async () => {})
    },
  }
}
