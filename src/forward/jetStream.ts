import { hash } from 'node:crypto'
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  headers,
  type NatsConnection,
} from '@nats-io/transport-node'
import { percentDecode } from '@wattfeed/base'
import { parsePosition } from 'wattfeed/live'
import type { Log } from '../runtime/log.ts'
import { isPast, type Message } from './message.ts'
import { subjectOf } from './subject.ts'
import { DeliveryError, type ForwardTarget, TargetError } from './target.ts'

export interface JetStreamOptions {
  url: URL
  /** The content of a `.creds` file. */
  creds: Uint8Array | null
  /** Name of the stream; its subjects start with it. */
  stream: string
  feeds: readonly string[] | null
  /** Time limit for an answer, in milliseconds. */
  timeoutMs: number
  log: Pick<Log, 'warn'>
}

/** A broker is expected to come back, so messages are retried and never become dead letters. */
const PATIENCE = { attempts: Number.POSITIVE_INFINITY, minPauseMs: 500, maxPauseMs: 30_000 }

const POSITION = 'Wattfeed-Position'
const FEEDS = 'Wattfeed-Feeds'

// Error codes of JetStream's API.
const WRONG_LAST_SEQUENCE = 10_071
const STREAM_NOT_FOUND = 10_059
const MESSAGE_TOO_LARGE = 10_054

interface Head {
  readonly id: string
  readonly position: string
  readonly feeds: string
}

interface Session {
  readonly connection: NatsConnection
  readonly jetStream: JetStreamClient
  readonly manager: JetStreamManager
  head: Head | null
  /** The sequence that must still be the last one. */
  lastSequence: number
}

/**
 * Creates a target that publishes each message to a JetStream stream, which is created if missing. Each message expects
 * the sequence of the one before. So neither two forwarders nor a retry can publish it twice, even after the server has
 * forgotten its `Nats-Msg-Id`.
 */
export function createJetStream(options: JetStreamOptions): ForwardTarget {
  const { url, stream, timeoutMs, log } = options
  const { host } = url
  const feeds = feedsMark(options.feeds)
  let session: Session | null = null
  let hasConnected = false

  async function begin(): Promise<Session> {
    if (session !== null && !session.connection.isClosed()) return session
    session = null
    try {
      session = await openSession(options)
    } catch (error) {
      throw connectionFailure(error, host, hasConnected)
    }
    hasConnected = true
    return session
  }

  async function publish(message: Message, after: string): Promise<string | null> {
    const at = await begin()
    for (;;) {
      if (at.head?.id === message.id) return null
      const moved = positionPast(after, at)
      if (moved !== null) return moved
      try {
        const ack = await at.jetStream.publish(subjectOf(stream, message), message.body, {
          msgID: message.id,
          headers: headersOf(message, feeds),
          expect: { streamName: stream, lastSequence: at.lastSequence },
          timeout: timeoutMs,
        })
        if (ack.duplicate) {
          // Not of a lost answer: a restarted development chain has the same feed ids.
          if (ack.seq <= at.lastSequence) log.warn({ id: message.id }, 'message is already in the stream')
          return null
        }
        at.lastSequence = ack.seq
        at.head = { id: message.id, position: message.position, feeds }
        return null
      } catch (error) {
        if (codeOf(error) !== WRONG_LAST_SEQUENCE) throw error
        await readHead(at, options)
      }
    }
  }

  /** Returns the position of the last message if it is later than another position, else null. */
  function positionPast(other: string, { head }: Session): string | null {
    if (head === null || !isPast(head.position, other)) return null
    if (head.feeds === feeds) return head.position
    throw new TargetError({
      host,
      rule: `already receives other feeds in "${stream}" from another forwarder; use a different --stream for each`,
    })
  }

  async function drop(): Promise<void> {
    await session?.connection.close()
    session = null
  }

  return {
    host,
    patience: PATIENCE,
    async open(kept) {
      const at = await begin()
      return kept === null ? (at.head?.position ?? null) : (positionPast(kept, at) ?? kept)
    },
    async deliver(message, after) {
      try {
        return await publish(message, after)
      } catch (error) {
        if (error instanceof TargetError || error instanceof DeliveryError) throw error
        if (isTooLarge(error)) throw new DeliveryError(`${reasonOf(error)}: too large for NATS`, false)
        await drop()
        throw new DeliveryError(reasonOf(error), true)
      }
    },
    [Symbol.asyncDispose]: drop,
  }
}

async function openSession(options: JetStreamOptions): Promise<Session> {
  const connection = await connect(connectionOptions(options))
  try {
    const { timeoutMs: timeout } = options
    const manager = await jetstreamManager(connection, { timeout })
    const jetStream = jetstream(connection, { timeout })
    await assureStream(manager, options)
    const session: Session = { connection, manager, jetStream, head: null, lastSequence: 0 }
    await readHead(session, options)
    return session
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Returns a retryable error if the server was reachable before or is not up yet; else the settings are wrong. */
function connectionFailure(error: unknown, host: string, hasConnected: boolean): Error {
  if (error instanceof TargetError || error instanceof DeliveryError) return error
  const isPassing = error instanceof Error && PASSING.includes(error.name)
  if (hasConnected || isPassing) return new DeliveryError(reasonOf(error), true)
  return new TargetError({
    host,
    rule: `rejected the connection: ${reasonOf(error)}; check the user, NATS_CREDS, and that JetStream is enabled`,
  })
}

async function readHead(session: Session, { url, stream }: JetStreamOptions): Promise<void> {
  // The order matters: if a message is stored in between, the next publish fails because of its expected sequence.
  const { state } = await session.manager.streams.info(stream)
  const last = await session.manager.streams.getMessage(stream, { last_by_subj: `${stream}.>` })
  const found = last?.header
  session.lastSequence = state.last_seq
  session.head = null
  if (last === null) return
  const position = found?.get(POSITION) ?? ''
  if (parsePosition(position) === null)
    throw new TargetError({
      host: url.host,
      rule: `has messages in "${stream}" that no forwarder wrote; use another --stream`,
    })
  session.head = { id: found?.get('Nats-Msg-Id') ?? '', position, feeds: found?.get(FEEDS) ?? '' }
}

function headersOf({ position }: Message, feeds: string) {
  const added = headers()
  added.set(POSITION, position)
  added.set(FEEDS, feeds)
  return added
}

/** Names of the errors of a server that is not up yet. */
const PASSING = ['ConnectionError', 'TimeoutError', 'RequestError', 'ClosedConnectionError']

const codeOf = (error: unknown): number | null => (error instanceof JetStreamApiError ? error.code : null)

const isTooLarge = (error: unknown): boolean =>
  codeOf(error) === MESSAGE_TOO_LARGE ||
  (error instanceof Error && error.name === 'InvalidArgumentError' && error.message.includes('max_payload'))

/** The library's messages contain no URL, user or password, as a test shows. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')

const connectionOptions = ({ url, creds, timeoutMs }: JetStreamOptions): ConnectionOptions => ({
  servers: url.host,
  name: 'wattfeed forward',
  timeout: timeoutMs,
  // A new session reads the stream's last message first.
  reconnect: false,
  ...identityOf(url),
  ...(creds === null ? {} : { authenticator: credsAuthenticator(creds) }),
  ...(url.protocol === 'tls:' ? { tls: {} } : {}),
})

/** A user without a password is a token, as in the URLs of NATS. */
function identityOf({ username, password }: URL): Pick<ConnectionOptions, 'user' | 'pass' | 'token'> {
  if (password !== '') return { user: percentDecode(username), pass: percentDecode(password) }
  return username === '' ? {} : { token: percentDecode(username) }
}

async function assureStream(manager: JetStreamManager, { url, stream }: JetStreamOptions): Promise<void> {
  const subject = `${stream}.>`
  const byHand = `create it manually: nats stream add ${stream} --subjects '${subject}' --defaults`
  const found = await manager.streams.info(stream).catch((error: unknown) => {
    if (codeOf(error) === STREAM_NOT_FOUND) return null
    throw error
  })
  if (found === null) {
    await manager.streams.add({ name: stream, subjects: [subject] }).catch((error: unknown) => {
      if (!(error instanceof JetStreamApiError)) throw error
      throw new TargetError({
        host: url.host,
        rule: `cannot create the stream "${stream}" (${error.message}); ${byHand}`,
      })
    })
    return
  }
  const subjects = found.config.subjects ?? []
  if (!subjects.includes(subject) && !subjects.includes('>'))
    throw new TargetError({
      host: url.host,
      rule: `has a stream "${stream}" without the subject ${subject}; add it, or use another --stream`,
    })
}

/** Distinguishes forwarders of different feeds. */
const feedsMark = (feeds: readonly string[] | null): string =>
  feeds === null ? 'all' : hash('sha256', JSON.stringify([...new Set(feeds)].sort()))
