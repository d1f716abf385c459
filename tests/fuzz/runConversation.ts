import type { RpcAnswer } from '@wattfeed/casper-devnet'
import { type Client, createClient, type VerifyLevel, WattfeedError } from 'wattfeed'
import { ASK_AGAIN_AFTER_MS } from '../../packages/wattfeed/src/client/absences.ts'
import type { ClientOptions } from '../../packages/wattfeed/src/client/clientOptions.ts'
import type { Snapshot } from '../../packages/wattfeed/src/client/snapshot.ts'
import type { VirtualTime } from '../support/virtualTime.ts'
import { BLOCK_MS, type FuzzChain } from './fuzzChain.ts'
import { createLie, type Lie, type LieGroup, type Told } from './lies.ts'
import { allReads, createRead, type FuzzRead, getFeedProof, listReadings, saysLess } from './reads.ts'

/** The classes of a read's outcome. `late` is after its deadline, `crash` an error that is not wattfeed's. */
export type Verdict = 'right' | 'absent' | 'wrong' | 'error' | 'late' | 'crash'

/** The allowed outcomes while a node lies, or just after. */
type Allowed = readonly Verdict[]

const believed: Allowed = ['right', 'absent', 'wrong', 'error']
const proven: Allowed = ['right', 'absent', 'error']
const confirmed: Allowed = ['right', 'error']
const right: Allowed = ['right']

/** One of the fuzzer's cases. */
export interface FuzzCase {
  verify: VerifyLevel
  nodes: 1 | 2
  groups: readonly LieGroup[]
  /** The allowed outcomes of one read while one node lies. */
  whileLying: 'believed' | 'proven' | 'confirmed'
  /** Whether everything is right after two new roots, or only values attested since the lie ended. */
  recovers: 'wholly' | 'as it is attested'
}

export interface FuzzWorld {
  chain: FuzzChain
  foreign: FuzzChain
}

/** The events of a run, and where it broke a rule. */
export interface FuzzRun {
  script: readonly string[]
  violations: readonly string[]
  verdicts: Record<Verdict, number>
}

const DEADLINE_MS = 10_000
const MAX_HEAD_AGE_MS = 120_000

/** New roots at which a client may fail to read after a lie, because a node rests or has requested a pause. */
const MOST_ROOTS_WITHOUT_ANSWER = 5

const FIRST_START = 45
/** Maximum number of blocks of a run; each read takes up to one block time. */
const LONGEST_RUN = 150
/** After this many blocks no other lie starts. */
const LONG_RUN = 100

/** Number of blocks that the chain needs. */
export const FUZZ_BLOCKS = FIRST_START + 55 + LONGEST_RUN

const allowedWhileLying = { believed, proven, confirmed } as const

/** Runs the conversation of a seed. */
export async function runConversation(
  world: FuzzWorld,
  time: VirtualTime,
  fuzzCase: FuzzCase,
  random: () => number,
): Promise<FuzzRun> {
  const run = createRun(world, time, fuzzCase, random)
  const episodes = pickEpisodes(random())
  if (random() < 0.6) await run.readAll('before any lie', right)
  for (let episode = 0; episode < episodes && !run.isLong(); episode++) {
    if (random() < 0.08) await run.turnClock()
    else await run.lie()
    await run.recover()
  }
  await time.reset()
  return run.outcome
}

/** Most clients meet one lie, some live long. */
const pickEpisodes = (chance: number): number => (chance < 0.05 ? 8 : chance < 0.3 ? 2 : 1)

function createRun(
  { chain, foreign }: FuzzWorld,
  time: VirtualTime,
  fuzzCase: FuzzCase,
  random: () => number,
) {
  const { verify, nodes, groups, whileLying, recovers } = fuzzCase
  const script: string[] = []
  const violations: string[] = []
  const verdicts: Record<Verdict, number> = { right: 0, absent: 0, wrong: 0, error: 0, late: 0, crash: 0 }
  const start = FIRST_START + Math.floor(random() * 55)
  time.setWall(chain.timeOf(start) + Math.floor(random() * (BLOCK_MS - 100)))
  const startedAt = time.monotonicMs()
  let tipHint = start
  let lies: { node: number; told: readonly Lie[] } | null = null
  const client = createFuzzClient(chain, { verify, nodes }, answer)

  const note = (line: string): void => {
    script.push(
      `${String(Math.round(time.monotonicMs() - startedAt)).padStart(6)} ms, block ${tip()}: ${line}`,
    )
  }

  function tip(): number {
    const now = time.trueMs()
    while (chain.timeOf(tipHint + 1) <= now) tipHint += 1
    return tipHint
  }

  async function answer(url: string, init: RequestInit): Promise<Response> {
    init.signal?.throwIfAborted()
    const { id, method, params } = JSON.parse(String(init.body))
    const node = Number(new URL(url).hostname.at(4))
    const asked = { id, method, params, height: tip() }
    const lie = lies?.node === node ? (lies.told[Math.floor(random() * lies.told.length)] ?? null) : null
    const told = lie === null ? await chain.answer(asked.height, method, params) : await lie.tell(asked)
    return respond(told, id, init.signal ?? null)
  }

  /** Whether an outcome is true at some height from `low` up to now. */
  function judge(read: FuzzRead, value: unknown, low: number): Verdict {
    let less = false
    for (let height = tip(); height >= low; height--) {
      const expected = read.expected(chain.truthAt(height))
      if (Bun.deepEquals(value, expected)) return 'right'
      less ||= saysLess(value, expected)
    }
    return less ? 'absent' : 'wrong'
  }

  /** The oldest block that a read may show. */
  function oldest(allowed: Allowed): number {
    if (allowed === right) return tip()
    const since = time.trueMs() - MAX_HEAD_AGE_MS
    let height = tip()
    while (chain.timeOf(height - 1) >= since) height -= 1
    return height
  }

  async function attempt(read: FuzzRead, low: number, at: Client | Snapshot): Promise<[Verdict, string]> {
    const begun = time.monotonicMs()
    try {
      const value = await read.run(client, at)
      if (time.monotonicMs() - begun > DEADLINE_MS + 1) return ['late', `${time.monotonicMs() - begun} ms`]
      return [judge(read, value, low), shown(value)]
    } catch (error) {
      if (time.monotonicMs() - begun > DEADLINE_MS + 1) return ['late', `${time.monotonicMs() - begun} ms`]
      if (error instanceof WattfeedError) return ['error', error.message.slice(0, 200)]
      return ['crash', Bun.inspect(error).slice(0, 600)]
    }
  }

  /** Reads, and compares the outcome with the allowed ones. */
  async function check(
    read: FuzzRead,
    allowed: Allowed,
    low = oldest(allowed),
    at: Client | Snapshot = client,
  ) {
    const [verdict, detail] = await attempt(read, low, at)
    verdicts[verdict] += 1
    note(`${read.name}: ${verdict}, ${detail}`)
    if (!allowed.includes(verdict))
      violations.push(`${verdict} where ${allowed.join(', ')} may come: ${read.name} returned ${detail}`)
    return verdict
  }

  const settle = <T>(work: Promise<T>): Promise<T> => time.settle(work)

  /**
   * A lying node must not silence the other one. Only an absent item needs both of them, including in a list with a feed
   * that has no value.
   */
  async function checkAnswered(read: FuzzRead, allowed: Allowed): Promise<void> {
    const truth = chain.truthAt(tip())
    const needsBoth =
      saysNothing(read.expected(truth)) || [...truth.values()].some(({ amounts }) => amounts.length === 0)
    for (let tries = 1; tries <= 4; tries++) {
      if ((await settle(check(read, allowed))) !== 'error') return
      await time.elapse(1_000)
    }
    if (!needsBoth) violations.push(`unavailable: ${read.name} failed four times although one node is honest`)
  }

  async function readAll(why: string, allowed: Allowed, reads = allReads): Promise<void> {
    note(why)
    await settle(Promise.all(reads.map((read) => check(read, allowed))))
  }

  async function readSnapshot(allowed: Allowed): Promise<void> {
    const at = await settle(client.snapshot().catch((error) => error as Error))
    if (at instanceof Error) {
      if (!(at instanceof WattfeedError)) violations.push(`crash: snapshot: ${Bun.inspect(at)}`)
      if (!allowed.includes('error')) violations.push(`error: snapshot: ${at.message}`)
      return
    }
    const height = chain.heightOf(at.stateRootHash)
    if (height === null && !allowed.includes('wrong')) violations.push(`wrong: root ${at.stateRootHash}`)
    if (random() < 0.5) await time.elapse(BLOCK_MS)
    const same = height ?? tip()
    const read = createRead(random)
    const exact = { ...read, expected: () => read.expected(chain.truthAt(same)) }
    await settle(check({ ...exact, name: `snapshot of block ${same}: ${read.name}` }, allowed, tip(), at))
  }

  async function step(allowed: Allowed): Promise<void> {
    const kind = random()
    if (kind < 0.25) await time.elapse(Math.floor(random() * 2.5 * BLOCK_MS))
    else if (kind < 0.35) await readSnapshot(allowed)
    else if (kind < 0.4) {
      // The receiver checks the proof from the first block on, so the node's level does not matter.
      const read = getFeedProof(chain, `FUZZ.FEED.${Math.floor(random() * 4)}`)
      await settle(check(read, ['right', 'absent', 'error'], 0))
    } else if (kind < 0.6) {
      const reads = [createRead(random), createRead(random), createRead(random)]
      await settle(Promise.all(reads.map((read) => check(read, allowed))))
    } else if (allowed === confirmed) await checkAnswered(createRead(random), allowed)
    else await settle(check(createRead(random), allowed))
  }

  /** Waits for the next block that changes the state. */
  async function nextRoot(): Promise<void> {
    const root = chain.rootOf(tip())
    while (chain.rootOf(tip()) === root) await time.elapse(chain.timeOf(tip() + 1) - time.trueMs() + 1)
    await time.elapse(Math.floor(random() * 2_000))
  }

  return {
    outcome: { script, violations, verdicts },
    readAll,
    isLong: () => tip() > start + LONG_RUN,

    async lie(): Promise<void> {
      const node = Math.floor(random() * nodes)
      const lieWorld = { chain, foreign, random }
      const first = createLie(lieWorld, groups, tip())
      // Two chains mixed call by call are not another chain, but look plausible.
      const isMixed = !first.isWhole && random() < 0.25
      const second = isMixed ? createLie(lieWorld, groups, tip()) : first
      const told = isMixed && !second.isWhole ? [first, second] : [first]
      lies = { node, told }
      note(`node ${node} lies: ${told.map(({ name }) => name).join(' and ')}`)
      // A client reuses most data at a new root, where a lie does most harm.
      if (random() < 0.6) await nextRoot()
      const steps = 2 + Math.floor(random() * 4)
      for (let index = 0; index < steps; index++) await step(allowedWhileLying[whileLying])
      lies = null
      note('the lie has ended')
    },

    async turnClock(): Promise<void> {
      const skewMs = [-3_600_000, 3_600_000, -90_000, 90_000, 2_000, -2_000][Math.floor(random() * 6)] ?? 0
      await settle(check(listReadings, recovers === 'wholly' ? right : allowedWhileLying[whileLying]))
      time.setSkew(skewMs)
      note(`the clock is set by ${skewMs} ms`)
      for (let index = 0; index < 2; index++) {
        await nextRoot()
        // Fresh or failed: a wrong clock does not justify old values.
        await settle(check(createRead(random), confirmed, tip()))
      }
      time.setSkew(0)
      note('the clock is right again')
    },

    /** Reads after a lie. At first the client recovers and requests hidden items again. Then everything is right. */
    async recover(): Promise<void> {
      const ended = time.monotonicMs()
      const fromTip = tip()
      const meanwhile = allowedWhileLying[whileLying]
      if (random() < 0.5) await settle(check(createRead(random), meanwhile))
      for (let roots = 1; ; roots++) {
        await nextRoot()
        const verdict = await settle(check(listReadings, meanwhile))
        if (verdict !== 'error' && time.monotonicMs() - ended >= ASK_AGAIN_AFTER_MS) break
        if (roots < MOST_ROOTS_WITHOUT_ANSWER) continue
        if (verdict === 'error') violations.push(`unavailable: no answer ${roots} roots after the lie`)
        break
      }
      await nextRoot()
      if (recovers === 'wholly') await readAll('after the lie', right)
      else await readAttested(fromTip)
      if (random() < 0.1) await settle(check(getFeedProof(chain, 'FUZZ.FEED.0'), right))
    },
  }

  /** A believed lie stays until its feed's next attestation, and no longer. */
  async function readAttested(fromTip: number): Promise<void> {
    note('after the lie, what was attested since')
    const [before, after] = [chain.truthAt(fromTip), chain.truthAt(tip())]
    const attested = [...after].filter(
      ([id, { amounts }]) => amounts.length !== before.get(id)?.amounts.length,
    )
    const reads = attested.map(
      ([id]): FuzzRead => ({
        name: `amount of ${id}`,
        run: async (_, at) => (await at.getReading(id))?.amount ?? null,
        expected: (truth) => truth.get(id)?.amounts.at(-1) ?? null,
      }),
    )
    await settle(Promise.all(reads.map((read) => check(read, ['right', 'absent'], tip()))))
  }
}

const saysNothing = (value: unknown): boolean => value === null || value === 0 || Bun.deepEquals(value, [])

/** Formats a value briefly, for a list of many. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (typeof value !== 'object' || value === null)
    return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value)
  const { feed_id, title, amount, ...others } = Object(value)
  return `${feed_id} ${JSON.stringify(title)} ${amount} ${Bun.hash(Bun.inspect(others)).toString(36).slice(0, 4)}`
}

function respond(told: Told, id: unknown, signal: AbortSignal | null): Response | Promise<Response> {
  if (told === 'broken') throw new TypeError('fetch failed')
  if (told === 'hang')
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  if ('response' in told) return told.response()
  return jsonResponse('body' in told ? told.body : textOf(told, id))
}

function textOf(answer: RpcAnswer, id: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...answer })
}

const jsonResponse = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'application/json' } })

function createFuzzClient(
  chain: FuzzChain,
  { verify, nodes }: Pick<FuzzCase, 'verify' | 'nodes'>,
  fetch: NonNullable<ClientOptions['fetch']>,
): Client {
  return createClient({
    rpcUrls: Array.from({ length: nodes }, (_, node) => `http://node${node}.test/rpc`),
    chainName: chain.chainName,
    feedRegistryPackageHash: chain.packages.FeedRegistry,
    attestationRegistryPackageHash: chain.packages.AttestationRegistry,
    deadlineMs: DEADLINE_MS,
    maxHeadAgeMs: MAX_HEAD_AGE_MS,
    verify,
    ...(verify === 'full' ? { trustedBlockHash: chain.genesisHash } : {}),
    fetch,
  })
}
