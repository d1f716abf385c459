import { type AnswerRpc, type Devnet, startDevnet } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import { answerEia } from '../../agent/committee/embedded/agentsBench.ts'
import { bootChain, CHAIN_NAME, feeds } from '../../agent/committee/embedded/committeeBench.ts'
import { NOW } from '../../agent/run/fakes.ts'
import { viewsOf } from '../../agent/support/openView.ts'
import { startDevnetProgram } from '../../support/devnetPrograms.ts'
import { freePort } from '../../support/ports.ts'
import type { Ended, RunningProgram, Settings } from '../../support/program.ts'

/** How fast the chain's clock is. A slot takes 30 s. */
const SPEED = 4

/** How long a member signs nothing after its start, by the chain's clock. */
const QUIET_MS = 120_000
/** How often a block is made in that time. The members' nodes show each block to them, and nothing else happens. */
const QUICK_BLOCK_MS = 100

/** Time between two blocks by the chain's clock, as on the public networks. */
const BLOCK_MS = 8_000

/** A member's agent in a process of its own, with its own node, EIA and state folder. */
export interface MemberProcess {
  readonly name: string
  /** What EIA has for it: a value of all feeds for each day. */
  readonly values: Map<string, string>
  /** Kills it when its node has received so many more calls, before that answers, and starts it again. */
  restartAt(calls: number): Promise<void>
  /** Returns what it has logged, in all runs. */
  logged(): string
  /** Stops it by a signal. */
  stop(): Promise<Ended>
  metrics(): Promise<string>
}

export interface CommitteeProcesses extends AsyncDisposable {
  readonly devnet: Devnet
  readonly members: readonly MemberProcess[]
  /** Waits, and looks after each block; throws if an agent ends, or after twenty minutes of the chain's time. */
  until(isTrue: () => boolean | Promise<boolean>): Promise<void>
  /** Waits until all agents have started. Then the chain's clock runs through the time in which they sign nothing. */
  passStart(): Promise<void>
  /** `period amount` of everything that was attested for a feed, oldest first. */
  historyOf(feedId: string): Promise<string[]>
}

/**
 * Starts the agents of an account with so many keys on an embedded chain.
 *
 * The chain makes blocks unasked. Its clock is faster than the machine's, so a member sees no stale block.
 *
 * @param values what EIA has for each member when the agents start
 */
export async function startCommitteeProcesses(
  threshold: number,
  values: readonly (readonly (readonly [day: string, value: string])[])[],
): Promise<CommitteeProcesses> {
  const { devnet: booted, secretKeys, packages } = await bootChain(values.length, threshold)
  const bootedAt = Date.now()
  let passedMs = 0
  const devnet = booted.fork({
    now: () => Math.max(NOW, bootedAt) + passedMs + (Date.now() - bootedAt) * SPEED,
  })
  let nextBlock = Promise.withResolvers<void>()
  function makeBlock(): void {
    devnet.produceBlock()
    nextBlock.resolve()
    nextBlock = Promise.withResolvers()
  }
  const blocks = setInterval(makeBlock, BLOCK_MS / SPEED)
  const folder = createFolder('in memory')
  const ports = await Promise.all(values.map(() => freePort()))
  const shared: Settings = {
    CASPER_CHAIN_NAME: CHAIN_NAME,
    FEED_REGISTRY_PACKAGE_HASH: packages.FeedRegistry,
    ATTESTATION_REGISTRY_PACKAGE_HASH: packages.AttestationRegistry,
    ATTESTER_ACCOUNT: devnet.accounts[0]?.publicKey ?? '',
    EIA_API_KEY: 'any',
    EIA_RPS: '1000',
    AGENT_PORT: '0',
    FEEDS_FILE: folder.write('feeds.json', JSON.stringify(feeds)),
    COMMITTEE_PEERS: folder.write(
      'members.json',
      JSON.stringify({
        thresholds: { deployment: threshold, keyManagement: threshold },
        members: devnet.accounts.map(({ publicKey }, index) => ({
          publicKey,
          weight: 1,
          name: `m${index}`,
          address: `http://127.0.0.1:${ports[index]}`,
        })),
      }),
    ),
    ...patientSettings,
  }

  const members = await Promise.all(
    values.map((each, index) =>
      startMember({
        name: `m${index}`,
        values: new Map(each),
        call: devnet.call,
        start: (settings) =>
          startDevnetProgram(
            'agent',
            ['--interval', 'daily=5s'],
            {
              ...shared,
              ATTESTER_KEY_PATH: folder.write(`m${index}.pem`, secretKeys[index] ?? ''),
              AGENT_STATE_DIR: `${folder.path}/m${index}`,
              COMMITTEE_LISTEN: `127.0.0.1:${ports[index]}`,
              ...settings,
            },
            folder.path,
          ),
      }),
    ),
  )
  const openView = viewsOf(
    {
      chainName: CHAIN_NAME,
      feedRegistryPackageHash: packages.FeedRegistry,
      attestationRegistryPackageHash: packages.AttestationRegistry,
    },
    devnet.call,
  )
  return {
    devnet,
    members,
    async until(isTrue) {
      for (let count = 0; !(await isTrue()); count++) {
        if (count > MAX_BLOCKS)
          throw new Error(`still waiting: ${members.map(({ logged }) => logged()).join('\n')}`)
        await Promise.race([nextBlock.promise, ...members.map(({ crashed }) => crashed())])
      }
    },
    async passStart() {
      await Promise.all(members.map(({ started }) => started()))
      for (let ms = 0; ms < QUIET_MS; ms += BLOCK_MS) {
        passedMs += BLOCK_MS
        makeBlock()
        await Bun.sleep(QUICK_BLOCK_MS)
      }
    },
    async historyOf(feedId) {
      const { at } = await openView()
      return (await at.getValueHistory(feedId)).map(({ period, amount }) => `${period} ${amount}`)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member[Symbol.asyncDispose]()))
      clearInterval(blocks)
      folder[Symbol.dispose]()
    },
  }
}

/** Twenty minutes of the chain's time. */
const MAX_BLOCKS = 1_200_000 / BLOCK_MS

interface MemberOptions {
  name: string
  values: Map<string, string>
  call: AnswerRpc
  start: (settings: Settings) => RunningProgram
}

interface StartedMember extends MemberProcess, AsyncDisposable {
  /** Rejects if the agent ends by itself. */
  crashed(): Promise<never>
  /** Resolves when its program has started. */
  started(): Promise<unknown>
}

async function startMember({ name, values, call, start }: MemberOptions): Promise<StartedMember> {
  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => answerEia(url, values),
  })
  /** Calls of its node until it is killed. */
  let left = Number.POSITIVE_INFINITY
  let reached = Promise.withResolvers<void>()
  const node = await startDevnet({
    async call(method, params) {
      left -= 1
      if (left <= 0) {
        reached.resolve()
        return await new Promise<never>(() => {})
      }
      return call(method, params)
    },
  })
  const run = () => start({ CASPER_RPC_URL: node.url, EIA_BASE_URL: `http://127.0.0.1:${upstream.port}` })
  let program = run()
  let earlier = ''
  return {
    name,
    values,
    logged: () => `${earlier}${program.logged()}`,
    started: () => program.line('serving /metrics and /health', 'stderr'),
    crashed: () => program.until(new Promise<never>(() => {})) as Promise<never>,
    async restartAt(calls) {
      left = calls
      await program.until(reached.promise)
      earlier += (await program.kill()).stderr
      left = Number.POSITIVE_INFINITY
      reached = Promise.withResolvers()
      program = run()
    },
    stop: () => program.kill('SIGTERM'),
    async metrics() {
      const line = await program.line('serving /metrics and /health', 'stderr')
      return (await fetch(`http://127.0.0.1:${JSON.parse(line).port}/metrics`)).text()
    },
    async [Symbol.asyncDispose]() {
      await program.kill()
      await Promise.all([node.stop(), upstream.stop(true)])
    },
  }
}
