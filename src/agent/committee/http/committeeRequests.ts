import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { limitTime, parseJson } from '@wattfeed/base'
import pLimit from 'p-limit'
import type { Log } from '../../../runtime/log.ts'
import type { ViewedBlock } from '../../plan/plan.ts'
import type { Refusal } from '../refusal.ts'
import { type AuthenticRequest, authenticate, type Receiver, type Sender } from './authenticate.ts'
import { downloadBody } from './downloadBody.ts'
import { createDownloadLimits, SenderLimits, StrangerLimits } from './limits.ts'
import type { FixedTerms, MemberAnswer, Terms, ToldRoot } from './messages.ts'
import { RETRY_AFTER_MS, RequestError } from './requestError.ts'
import { newTicketSecret, ticketOf } from './ticketFile.ts'

type KnownBlock = Pick<ViewedBlock, 'height' | 'time'>

export interface CommitteeRequestsOptions {
  /** The other members. Requests of anyone else are refused. */
  senders: readonly Sender[]
  terms: FixedTerms
  /** Returns the newest block that this member has read; null if it has read none. */
  newestBlock: () => KnownBlock | null
  /** Lists the roots of datasets that this member holds. @default none */
  roots?: () => readonly ToldRoot[]
  /** The machine's clock, in epoch milliseconds. */
  now: () => number
  log: Pick<Log, 'warn'>
  /** Of the tickets that it issues. @default that of this process */
  ticketSecret?: string
  /** Called with every request of a member. */
  onRequest?: (request: { readonly member: string; readonly path: string }) => void
  /** @default limits that honest members do not reach */
  limits?: SenderLimits
  /** Of downloads alone. @default limits that honest members do not reach */
  downloadLimits?: SenderLimits
  /** @default limits that members do not reach */
  strangerLimits?: StrangerLimits
  /** Time limit to read a request, and another one to answer it, in milliseconds. @default 15_000 */
  timeoutMs?: number
}

/** What an endpoint does with the body of a request. */
export interface Endpoint {
  readonly schema: TSchema
  /** @param member account hash of the sender's key */
  readonly work: (body: unknown, member: string) => Promise<Refusal | null>
  /** Whether the sender waits for the result. */
  readonly isAwaited: boolean
}

/** What an endpoint answers with bytes. */
export interface Download {
  readonly schema: TSchema
  readonly work: (body: unknown) => Promise<Uint8Array>
}

/** Downloads that are prepared at the same time, so that signatures are not delayed. Each sender waits for one of each other at most. */
const MAX_PREPARED = 2

/** Answers the requests of the other members. It does no work for anyone else. */
export class CommitteeRequests {
  readonly timeoutMs: number
  readonly #receiver: Receiver
  readonly #limits: SenderLimits
  readonly #downloadLimits: SenderLimits
  readonly #inTurn = pLimit(MAX_PREPARED)
  readonly #terms: FixedTerms
  readonly #newestBlock: () => KnownBlock | null
  readonly #roots: () => readonly ToldRoot[]
  readonly #log: Pick<Log, 'warn'>
  readonly #onRequest: CommitteeRequestsOptions['onRequest']

  constructor(options: CommitteeRequestsOptions) {
    const { senders, terms, newestBlock, now, log, onRequest, timeoutMs = 15_000 } = options
    this.timeoutMs = timeoutMs
    this.#receiver = {
      receiver: terms.member,
      senders,
      chainTime: () => newestBlock()?.time ?? 0,
      now,
      ticketSecret: options.ticketSecret ?? newTicketSecret(),
      strangerLimits: options.strangerLimits ?? new StrangerLimits(),
      timeoutMs,
    }
    this.#limits = options.limits ?? new SenderLimits()
    this.#downloadLimits = options.downloadLimits ?? createDownloadLimits()
    this.#terms = terms
    this.#newestBlock = newestBlock
    this.#roots = options.roots ?? (() => [])
    this.#log = log
    this.#onRequest = onRequest
  }

  /** Returns the terms of this member, with its clock, its newest block and the roots that it holds. */
  terms(): Terms {
    const block = this.#newestBlock()
    return {
      ...this.#terms,
      clock: this.#receiver.now(),
      block: block && { height: block.height, time: block.time },
      roots: [...this.#roots()],
    }
  }

  /**
   * Answers a request to an endpoint.
   *
   * @param address of its sender
   * @throws {RequestError} if it is not a valid request of a member, and the errors of the work
   */
  async answer(
    request: Request,
    address: string,
    { schema, work, isAwaited }: Endpoint,
  ): Promise<MemberAnswer> {
    const { member, body, leave } = await this.#admit(request, address, { schema, limits: this.#limits })
    // The work keeps the place, also if nobody waits for it.
    const working = work(body, member).finally(leave)
    const ticket = ticketOf(this.#receiver.ticketSecret, member)
    if (isAwaited) return { refusal: await this.#inTime(working), ticket }
    working.catch((err: unknown) => this.#log.warn({ err, member }, 'request of a member failed'))
    return { refusal: null, ticket }
  }

  /**
   * Answers a request for a part of a snapshot. It has no ticket: its sender has one of its announcements.
   *
   * @param address of its sender
   * @throws {RequestError} if it is not a valid request of a member, and the errors of the work
   */
  async download(
    request: Request,
    address: string,
    { schema, work }: Download,
  ): Promise<ReadableStream<Uint8Array>> {
    const { timeoutMs } = this
    const limits = this.#downloadLimits
    const { member, body, leave } = await this.#admit(request, address, { schema, limits })
    const working = this.#inTurn(() => limits.timed(member, () => work(body)))
    try {
      // The sender keeps its place until it has read all: answers that nobody reads must not fill the memory.
      return downloadBody(await this.#inTime(working), { timeoutMs, onEnd: leave })
    } catch (error) {
      working.finally(leave).catch(() => {})
      throw error
    }
  }

  /** Lets a request in, with a place among those of its sender that are in progress. */
  async #admit(
    request: Request,
    address: string,
    { schema, limits }: { readonly schema: TSchema; readonly limits: SenderLimits },
  ): Promise<Admitted> {
    const authentic = await authenticate(request, address, this.#receiver)
    const { member, path, nonce } = authentic
    this.#onRequest?.({ member, path })
    const place = limits.enter(member, nonce)
    const leave = () => place[Symbol.dispose]()
    try {
      return { member, body: await bodyOf(authentic, schema), leave }
    } catch (error) {
      leave()
      throw error
    }
  }

  #inTime<T>(working: Promise<T>): Promise<T> {
    const { timeoutMs } = this
    const error = () =>
      new RequestError(503, 'timeout', `this member has no answer within ${timeoutMs} ms`, RETRY_AFTER_MS)
    return limitTime({ timeoutMs, error }, () => working)
  }
}

/** A request of a member that is in progress. */
interface Admitted {
  /** Account hash of the member's key. */
  readonly member: string
  readonly body: unknown
  /** Ends it. Called once. */
  readonly leave: () => void
}

/** Reads the body of a request. @throws {RequestError} unless it has the endpoint's schema */
async function bodyOf({ readBody }: AuthenticRequest, schema: TSchema): Promise<unknown> {
  const json = parseJson(await readBody())
  if (Value.Check(schema, json)) return json
  throw new RequestError(400, 'body', "the body is not JSON of the endpoint; compare the members' versions")
}
