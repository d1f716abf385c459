import { hash } from 'node:crypto'
import type { Signer } from '@wattfeed/casper/transaction'
import {
  type CommitteeServer,
  type CommitteeServerOptions,
  startCommitteeServer,
} from '../../../../src/agent/committee/http/committeeServer.ts'
import { type CreatePeersOptions, createPeers } from '../../../../src/agent/committee/http/createPeers.ts'
import type { FixedTerms } from '../../../../src/agent/committee/http/messages.ts'
import { signRequest } from '../../../../src/agent/committee/http/signedRequest.ts'
import type { TransactionJson } from '../../../../src/agent/committee/proposal.ts'

/** Time of the newest block, for all members. */
export const TIME = Date.parse('2026-11-20T12:00:00Z')

/** The terms on which all members agree, without those that name the chain. */
export const agreedTerms = {
  version: '0.1.0',
  feed_registry_package_hash: 'aa'.repeat(32),
  attestation_registry_package_hash: 'bb'.repeat(32),
  look_back: 0,
  catch_up: 100,
  max_values: 5,
  payment_motes: '2500000000',
  payment_many_motes: '5000000000',
  slot_ms: 30_000,
  lifetime_ms: 120_000,
}

/** The terms of a member. */
export const termsOf = ({ keyHash, accountHash }: Signer): FixedTerms => ({
  ...agreedTerms,
  member: keyHash,
  account: accountHash,
  chain_name: 'casper-net-1',
})

/** The server of one member, with all that reached the member. */
export interface StartedMember extends AsyncDisposable {
  server: CommitteeServer
  address: string
  received: unknown[]
  logged: unknown[]
}

/** Starts the server of a member that approves everything. */
export function startMember(
  receiver: Signer,
  senders: readonly Signer[],
  changed: Partial<CommitteeServerOptions> = {},
): StartedMember {
  const received: unknown[] = []
  const logged: unknown[] = []
  const server = startCommitteeServer({
    listen: { host: '127.0.0.1', port: 0 },
    member: {
      async receive(transaction) {
        received.push(transaction)
        return null
      },
      async announced(feedId) {
        received.push({ feedId })
      },
    },
    noteRoot: (feedId, from, root) => void received.push({ feedId, from, root }),
    openSide: async () => null,
    senders: senders.map(({ publicKey, keyHash }) => ({ publicKey, accountHash: keyHash })),
    terms: termsOf(receiver),
    newestBlock: () => ({ height: 7, time: TIME }),
    now: () => TIME + 1,
    log: { warn: (fields, message) => logged.push([message, fields]) },
    ...changed,
  })
  const address = `http://127.0.0.1:${server.port}`
  return { server, address, received, logged, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Creates a member's client for one peer. */
export const peersOf = (
  signer: Signer,
  peer: Signer,
  address: string,
  changed: Partial<CreatePeersOptions> = {},
) =>
  createPeers({
    peers: [{ accountHash: peer.keyHash, publicKey: peer.publicKey, name: 'bob', address }],
    signer,
    chainTime: () => TIME,
    fetch,
    ...changed,
  })

/** A transaction with some approvals, which only the member checks. */
export const transactionOf = ({ publicKey }: Signer, approvals = 1): TransactionJson => ({
  Version1: {
    hash: 'ab'.repeat(32),
    payload: { any: 1 },
    approvals: Array.from({ length: approvals }, () => ({ signer: publicKey, signature: '01' })),
  },
})

/** A request, and what its signature says about it. */
export interface SentRequest {
  path?: string
  body?: string
  signedPath?: string
  signedBody?: string
  receiver?: string
  time?: number
  nonce?: string
  /** Others than those of the signature. */
  headers?: Record<string, string>
}

/** Signs a request, by default a proposal. */
export function signedHeaders(signer: Signer, receiver: Signer, sent: SentRequest = {}) {
  const { path = '/v1/proposals', body = '{}' } = sent
  const headers = signRequest(signer, {
    path: sent.signedPath ?? path,
    receiver: sent.receiver ?? receiver.keyHash,
    time: sent.time ?? TIME,
    nonce: sent.nonce ?? crypto.randomUUID(),
    bodyHash: hash('sha256', sent.signedBody ?? body),
  })
  return { ...headers, ...sent.headers }
}

/** Returns headers as a connection sends them. */
export const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

/** Sends a signed request, by default a proposal. */
export function sendSigned(address: string, signer: Signer, receiver: Signer, sent: SentRequest = {}) {
  const { path = '/v1/proposals', body = '{}' } = sent
  return fetch(`${address}${path}`, { method: 'POST', body, headers: signedHeaders(signer, receiver, sent) })
}

/** Returns a response's status and error code. */
export const outcomeOf = async (response: Response | Promise<Response>) => {
  const { status, headers } = await response
  return [status, headers.get('x-wattfeed-error')]
}
