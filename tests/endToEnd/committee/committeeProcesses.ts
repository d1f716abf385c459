import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type AnswerRpc, type Devnet, startDevnet } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import type { Attestation } from 'wattfeed'
import type { FeedConfig } from '../../../src/feeds/file/feedConfig.ts'
import { BLOCK_MS, bootChain, CHAIN_NAME } from '../../agent/committee/embedded/committeeBench.ts'
import { viewsOf } from '../../agent/support/openView.ts'
import { freePort } from '../../support/ports.ts'
import { type Ended, type RunningProgram, type Settings, spawnProgram } from '../../support/program.ts'
import { fastClock, SPEED } from './fastClock.ts'

const agent = fileURLToPath(new URL('fastAgent.ts', import.meta.url))

/** A member's agent in a process of its own, with its own node, EIA and state folder. */
export interface MemberProcess {
  readonly name: string
  /** Kills it when its node has received so many more calls, before that answers, and starts it again. */
  restartAt(calls: number): Promise<void>
  /** Returns what it has logged, in all runs. */
  logged(): string
  /** Stops it by a signal. */
  stop(): Promise<Ended>
  metrics(): Promise<string>
  /** Lists the roots of the snapshots that it has of a dataset. */
  snapshotsOf(feedId: string): string[]
}

export interface CommitteeProcesses {
  readonly devnet: Devnet
  readonly members: readonly MemberProcess[]
  /** Waits, and looks after each block; throws if an agent ends, or after forty minutes of the chain's time. */
  until(isTrue: () => boolean | Promise<boolean>): Promise<void>
  /** Lists everything that was attested for a feed, oldest first. */
  historyOf(feedId: string): Promise<readonly Attestation[]>
}

export interface CommitteeOptions {
  /** How many of the members must sign. */
  readonly threshold: number
  readonly feeds: readonly FeedConfig[]
  /** What EIA answers to each member. */
  readonly eia: readonly ((request: Request) => Response)[]
}

/**
 * Runs the agents of an account with several keys on an embedded chain, and prints their logs if the test fails.
 *
 * The chain makes blocks unasked. Its clock and those of the agents are faster than the machine's.
 */
export async function runCommittee(
  options: CommitteeOptions,
  test: (committee: CommitteeProcesses) => Promise<void>,
): Promise<void> {
  await using committee = await startCommittee(options)
  try {
    await test(committee)
  } catch (error) {
    for (const { name, logged } of committee.members) console.error(`${name} logged:\n${logged()}`)
    throw error
  }
}

async function startCommittee({
  threshold,
  feeds,
  eia,
}: CommitteeOptions): Promise<CommitteeProcesses & AsyncDisposable> {
  const booted = await bootChain(eia.length, threshold, { registered: feeds })
  const startedAt = Date.now()
  const devnet = booted.devnet.fork({ now: fastClock(startedAt) })
  devnet.produceBlock()
  let nextBlock = Promise.withResolvers<void>()
  const blocks = setInterval(() => {
    devnet.produceBlock()
    nextBlock.resolve()
    nextBlock = Promise.withResolvers()
  }, BLOCK_MS / SPEED)
  const folder = createFolder('in memory')
  const ports = await Promise.all(eia.map(() => freePort()))
  const { packages, secretKeys } = booted
  const shared: Settings = {
    CLOCK_STARTED_AT: String(startedAt),
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
    eia.map((answer, index) =>
      startMember({
        name: `m${index}`,
        folder: `${folder.path}/m${index}`,
        eia: answer,
        call: devnet.call,
        start: (settings) =>
          startAgent(folder.path, {
            ...shared,
            ATTESTER_KEY_PATH: folder.write(`m${index}.pem`, secretKeys[index] ?? ''),
            AGENT_STATE_DIR: `${folder.path}/m${index}`,
            COMMITTEE_LISTEN: `127.0.0.1:${ports[index]}`,
            ...settings,
          }),
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
        if (count > MAX_BLOCKS) throw new Error('still waiting')
        await Promise.race([nextBlock.promise, ...members.map(({ crashed }) => crashed())])
      }
    },
    async historyOf(feedId) {
      const { at } = await openView()
      return at.getValueHistory(feedId)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member[Symbol.asyncDispose]()))
      clearInterval(blocks)
      folder[Symbol.dispose]()
    },
  }
}

/** Forty minutes of the chain's time. */
const MAX_BLOCKS = 2_400_000 / BLOCK_MS

/** It polls as often as a member asks EIA. */
const startAgent = (cwd: string, settings: Settings): RunningProgram =>
  spawnProgram([process.execPath, agent, '--interval', 'daily=30s', '--interval', 'weekly=30s'], {
    env: { PATH: process.env.PATH ?? '', ...settings },
    cwd,
  })

interface MemberOptions {
  name: string
  /** Its state folder. */
  folder: string
  eia: (request: Request) => Response
  call: AnswerRpc
  start: (settings: Settings) => RunningProgram
}

interface StartedMember extends MemberProcess, AsyncDisposable {
  /** Rejects if the agent ends by itself. */
  crashed(): Promise<never>
}

async function startMember({ name, folder, eia, call, start }: MemberOptions): Promise<StartedMember> {
  const upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: eia })
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
  const run = (isFreshChain: boolean) =>
    start({
      CASPER_RPC_URL: node.url,
      EIA_BASE_URL: `http://127.0.0.1:${upstream.port}`,
      IS_FRESH_CHAIN: String(isFreshChain),
    })
  let program = run(true)
  let earlier = ''
  return {
    name,
    logged: () => `${earlier}${program.logged()}`,
    crashed: () => program.until(new Promise<never>(() => {})) as Promise<never>,
    async restartAt(calls) {
      left = calls
      await program.until(reached.promise)
      earlier += (await program.kill()).stderr
      left = Number.POSITIVE_INFINITY
      reached = Promise.withResolvers()
      // It may have forgotten what it has signed, so it first waits.
      program = run(false)
    },
    stop: () => program.kill('SIGTERM'),
    async metrics() {
      const line = await program.line('serving /metrics and /health', 'stderr')
      return (await fetch(`http://127.0.0.1:${JSON.parse(line).port}/metrics`)).text()
    },
    snapshotsOf: (feedId) => readdirSync(`${folder}/datasets/${feedId.toLowerCase()}`),
    async [Symbol.asyncDispose]() {
      await program.kill()
      await Promise.all([node.stop(), upstream.stop(true)])
    },
  }
}
