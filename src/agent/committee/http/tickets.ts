import { createHmac, timingSafeEqual } from 'node:crypto'

/** Issues tickets, with which members are known before their signature is checked. A stranger cannot have one. */
export interface Tickets {
  issue(member: string): string
  isValid(member: string, ticket: string): boolean
}

export function createTickets(secret: Uint8Array): Tickets {
  const digest = (member: string) => createHmac('sha256', secret).update(member).digest()
  return {
    issue: (member) => digest(member).toString('hex'),
    isValid: (member, ticket) =>
      /^[0-9a-f]{64}$/.test(ticket) && timingSafeEqual(Buffer.from(ticket, 'hex'), digest(member)),
  }
}
