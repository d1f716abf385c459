import { join as joinPath } from 'node:path'
import type { Rpc } from '@wattfeed/casper'
import { getAccount, type Signer } from '@wattfeed/casper/transaction'
import { committeeOfAccount, signsAlone } from '../../committee/committee.ts'
import { type FeedConfig, isSeries } from '../../feeds/file/feedConfig.ts'
import { asError } from '../../runtime/asError.ts'
import type { Log } from '../../runtime/log.ts'
import { Ballots } from '../committee/ballots.ts'
import { createCommitteeOutbox } from '../committee/committeeOutbox.ts'
import { callMember, type Peer } from '../committee/http/callMember.ts'
import { createPeers } from '../committee/http/createPeers.ts'
import { type FixedTerms, paths, Terms } from '../committee/http/messages.ts'
import { termsOf } from '../committee/http/terms.ts'
import { openTickets } from '../committee/http/ticketFile.ts'
import { type OpenMember, openMember } from '../committee/openMember.ts'
import { type CommitteePeers, readPeers } from '../committee/readPeers.ts'
import type { MemberRoots } from '../committee/roots/memberRoots.ts'
import { shareFetches } from '../committee/shareFetches.ts'
import type { Report } from '../events.ts'
import { listOwnRoots } from '../monitor/committeeRoots.ts'
import type { CommitteeWatch } from '../monitor/committeeWatch.ts'
import type { AgentWatch } from '../monitor/watchAgent.ts'
import type { AttesterSettings } from '../settings/agentSettings.ts'
import { joinRoots } from './joinRoots.ts'
import type { Attesting, Attests, OpenAgent } from './openAgent.ts'
import type { Platform } from './platform.ts'

/** This agent's part in a committee. It shares the fetches from EIA with the member. */
export interface JoinedCommittee extends Attests, AsyncDisposable {}

export interface JoinOptions {
  settings: AttesterSettings
  signer: Signer
  agent: OpenAgent
  watch: Pick<AgentWatch, 'join'>
  feeds: () => readonly FeedConfig[]
  isOnce: boolean
  isFreshChain: boolean
  /** Whether datasets that have shrunk are attested. @default false */
  acceptsShrunk?: boolean
  /** Called before the state folder is used for the committee. @throws to end there */
  onJoin?: () => void
  platform: Platform
  log: Log
  /** Called with each event of the committee's transactions. @default the agent's */
  report?: Report
  stop: AbortSignal
  abandon: AbortSignal
}

/** How often a member does its regular work. A slot takes 30 s. */
const TICK_MS = 2_000
/** How often a member asks the others whether they are there. */
const PING_MS = 60_000
const PING_TIMEOUT_MS = 10_000
const RETRY_MS = 5_000

/** How long a feed waits for the committee. With as many absent members as it tolerates, a value takes five minutes. */
const PATIENCE_MS = 300_000
/** A program that runs once waits longer, because a member signs nothing in its first two minutes. */
const ONCE_PATIENCE_MS = 600_000

/**
 * Joins the committee of COMMITTEE_PEERS, and does a member's work until the agent stops.
 *
 * @returns null without COMMITTEE_PEERS, if this key may sign alone, and if the agent was stopped meanwhile
 * @throws {MembersFileError | CommitteeListenError}, and with `isOnce` the errors of the node
 */
export async function joinCommittee(options: JoinOptions): Promise<JoinedCommittee | null> {
  const { settings, signer, log } = options
  const { committeePeers: path } = settings
  if (path === null) return null
  const committee = await readPeers(path, signer.keyHash)
  const state = await readCommitteeState(options)
  if (state === null) return null
  if (state.isAlone) {
    log.info({ account: signer.accountHash }, 'this key signs alone; COMMITTEE_PEERS is not used')
    return null
  }
  options.onJoin?.()
  return join(options, committee, state.attesting)
}

interface ChainState {
  readonly isAlone: boolean
  /** By this key alone. */
  readonly attesting: Attesting
}

/** Reads what the member's rules depend on. Tries again until the node answers. */
async function readCommitteeState(options: JoinOptions): Promise<ChainState | null> {
  const { agent, signer, isOnce, platform, log, stop } = options
  let isWarned = false
  while (!stop.aborted) {
    try {
      const isAlone = await maySignAlone(agent.rpc, signer)
      return { isAlone, attesting: await agent.openAttesting() }
    } catch (error) {
      if (isOnce) throw error
      if (!isWarned) log.warn({ err: error }, "cannot read the committee's account; retrying")
      isWarned = true
      await platform.wait(RETRY_MS, stop).catch(() => {})
    }
  }
  return null
}

/** Returns whether a key reaches the threshold of its account. An account that the chain does not know has its own key. */
export async function maySignAlone(rpc: Rpc, { initiator, accountHash, keyHash }: Signer): Promise<boolean> {
  const account = await getAccount(rpc, initiator)
  return account === null ? accountHash === keyHash : signsAlone(committeeOfAccount(account), keyHash)
}

async function join(
  options: JoinOptions,
  { members, peers: others, recovery }: CommitteePeers,
  alone: Attesting,
): Promise<JoinedCommittee> {
  const { settings, signer, agent, isOnce, platform, log, abandon } = options
  const { report = agent.report } = options
  const { now, steadyNow = now } = platform
  const left = new AbortController()
  const stop = AbortSignal.any([options.stop, left.signal])
  const nameOf = (key: string): string =>
    others.find(({ accountHash }) => accountHash === key)?.name ??
    (key === signer.keyHash ? 'this member' : key)
  const terms = termsOf(settings, signer, alone.outbox.offersMany)
  const watch = options.watch.join({ members: others.map(({ accountHash }) => accountHash), nameOf, terms })
  const ballots = new Ballots({
    nameOf,
    keyHash: signer.keyHash,
    unready: () => watch.facts.unready?.reason ?? null,
    patienceMs: isOnce ? ONCE_PATIENCE_MS : PATIENCE_MS,
    wait: platform.wait,
    stop,
  })
  if (recovery.size > 0) log.warn({ keys: [...recovery] }, 'recovery keys can sign alone')
  const tickets = await openTickets(ticketFolder(settings), log)
  // The peers need the chain's time from the member, which needs the peers.
  let opened: OpenMember | null = null
  const peers = createPeers({
    peers: others,
    signer,
    chainTime: () => opened?.newestView()?.block.time ?? 0,
    fetch: platform.fetch,
    tickets: tickets.received,
    onCall: ({ member, durationMs, error }) => watch.noteCall(member, durationMs, error?.message ?? null),
  })
  const { roots, join: joinWork } = joinRoots({ ...options, report, watch, nameOf })
  const shared = { ...alone.settings, eia: shareFetches(alone.settings.eia, steadyNow), stop }
  const member = await openMember({
    ...platform,
    signer,
    state: agent.state,
    report,
    log,
    rpc: agent.rpc,
    feeds: () => options.feeds().filter(isSeries),
    roots,
    keeper: agent.keeper,
    acceptsShrunk: options.acceptsShrunk ?? false,
    isFreshChain: options.isFreshChain,
    members,
    openView: agent.openView,
    // Others cause the member's reads, which are no polls of this agent.
    settings: { ...shared, lostPeriods: null, report: () => {} },
    paymentMotes: settings.paymentMotes,
    peers,
    recovery,
    archive: agent.archive,
    signal: abandon,
    onEvent(event) {
      ballots.hear(event)
      watch.hear(event)
    },
    onExecuted: (transaction, executed) => ballots.noteExecuted(transaction, executed),
  })
  opened = member
  const server = await serve(member, watch, { options, others, roots, terms, ticketSecret: tickets.secret })
  const { converge, rootVote, keeper } = joinWork({
    ...{ member, peers, ballots, stop },
    patienceMs: ONCE_PATIENCE_MS,
    readsAgain: !isOnce,
  })
  const outbox = createCommitteeOutbox({ alone: alone.outbox, member: member.member, ballots, rootVote })
  const work = Promise.all([
    tick(member, watch, { platform, stop }),
    converge(),
    ping(others, watch, { platform, stop }),
  ])
  return {
    openAttesting: async () => ({ outbox, settings: shared }),
    keeper,
    async [Symbol.asyncDispose]() {
      left.abort()
      await work
      await server[Symbol.asyncDispose]()
      await tickets[Symbol.asyncDispose]()
      await member.drain()
    },
  }
}

/** Where a member stores the tickets that it has given and received. */
const ticketFolder = ({
  agentStateDir,
  casperChainName,
  attestationRegistryPackageHash,
}: AttesterSettings): string =>
  joinPath(agentStateDir, 'committee', casperChainName, attestationRegistryPackageHash)

interface Served {
  options: JoinOptions
  others: readonly Peer[]
  roots: MemberRoots
  terms: FixedTerms
  ticketSecret: string
}

/** Serves the endpoints for the other members. */
async function serve(
  { member, newestView }: OpenMember,
  watch: CommitteeWatch,
  { options, others, roots, terms, ticketSecret }: Served,
): Promise<AsyncDisposable> {
  const { agent, settings, platform, log } = options
  const openSide = async (feedId: string, root: string) => {
    const dataset = roots.find(feedId)
    return dataset === null ? null : agent.keeper.openSide(dataset, root)
  }
  // Only members need it.
  const { startCommitteeServer } = await import('../committee/http/committeeServer.ts')
  const server = startCommitteeServer({
    listen: settings.committeeListen,
    member,
    noteRoot: (...announced) => roots.note(...announced),
    openSide,
    senders: others,
    terms,
    ticketSecret,
    newestBlock: () => newestView()?.block ?? null,
    roots: () => listOwnRoots(watch.facts.roots),
    now: platform.now,
    log,
    onRequest: (request) => watch.noteSeen(request.member),
  })
  const { host } = settings.committeeListen
  log.info({ host, port: server.port, members: 1 + others.length }, 'listening for the committee')
  return server
}

/** Does the member's regular work until the agent stops. A failure does not end it. */
async function tick(
  { member, unready }: OpenMember,
  watch: CommitteeWatch,
  { platform, stop }: Pick<JoinOptions, 'platform' | 'stop'>,
): Promise<void> {
  let isStarted = false
  while (!stop.aborted) {
    try {
      if (!isStarted) await member.start()
      isStarted = true
      await member.tick()
      watch.noteTick(null, unready())
    } catch (error) {
      watch.noteTick(asError(error), unready())
    }
    await platform.wait(TICK_MS, stop).catch(() => {})
  }
}

/** Asks the other members for their terms from time to time, because between two values there is nothing else to say. */
async function ping(
  others: readonly Peer[],
  watch: CommitteeWatch,
  { platform, stop }: Pick<JoinOptions, 'platform' | 'stop'>,
): Promise<void> {
  const { fetch, now, steadyNow = now } = platform
  const pingOne = async (peer: Peer): Promise<void> => {
    const startedAt = steadyNow()
    const answer = await callMember(peer, {
      path: paths.terms,
      schema: Terms,
      fetch,
      timeoutMs: PING_TIMEOUT_MS,
    }).catch(asError)
    const isFailed = answer instanceof Error
    if (!isFailed) watch.noteTerms(peer.accountHash, answer)
    watch.noteCall(peer.accountHash, steadyNow() - startedAt, isFailed ? answer.message : null)
  }
  while (!stop.aborted) {
    await Promise.all(others.map(pingOne))
    await platform.wait(PING_MS, stop).catch(() => {})
  }
}
