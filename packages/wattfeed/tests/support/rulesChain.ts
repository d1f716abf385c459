import type { Signer } from '@wattfeed/casper/transaction'
import type { Arguments } from '@wattfeed/casper/types'
import { createDevnet, type Devnet, type DevnetOptions } from '@wattfeed/casper-devnet'
import { createSender, type Sender, signersOf } from '@wattfeed/casper-devnet/testing/sender'

/** An embedded chain without a socket, and calls from its accounts. */
export interface RulesChain extends AsyncDisposable {
  devnet: Devnet
  sender: Sender
  /** Moves the clock on, by `tickMs` if not told, and returns its time: the same call at the same time would be sent once. */
  tick(ms?: number): number
  /** The account that installs the contracts, as their first party. */
  owner: Signer
  alice: Signer
  bob: Signer
  /** Calls a contract by its package hash; returns the node's error text, or null. */
  call(signer: Signer, packageHash: string, entryPoint: string, args: Arguments): Promise<string | null>
  /** Returns a fork of the chain, at the same time. */
  fork(): RulesChain
}

export interface RulesChainOptions
  extends Pick<DevnetOptions, 'eraLength' | 'protocol' | 'retainedRoots' | 'validators'> {
  /** @default 'rules' */
  seed?: string
  /** Time of the first block, in epoch milliseconds. */
  startMs?: number
  /** How much `tick` adds by default, in milliseconds. @default 1 */
  tickMs?: number
}

const START_MS = Date.UTC(2026, 10, 20)

/** More than any call needs; a claim needs most. */
const PAYMENT_MOTES = 33_000_000_000n

/** Starts a chain with three accounts, whose clock ticks once for every call. */
export async function createRulesChain({
  seed = 'rules',
  startMs = START_MS,
  tickMs = 1,
  ...options
}: RulesChainOptions = {}): Promise<RulesChain> {
  const clock = createClock(startMs, tickMs)
  const devnet = createDevnet({ seed, accounts: 3, now: clock.now, ...options })
  return rulesChainOn(devnet, clock, await signersOf(devnet.accounts))
}

interface Clock {
  tickMs: number
  now(): number
  tick(ms?: number): number
}

function createClock(startMs: number, tickMs: number): Clock {
  let nowMs = startMs
  return {
    tickMs,
    now: () => nowMs,
    tick(ms = tickMs) {
      nowMs += ms
      return nowMs
    },
  }
}

function rulesChainOn(devnet: Devnet, { now, tick, tickMs }: Clock, signers: readonly Signer[]): RulesChain {
  const [owner, alice, bob] = signers
  if (!owner || !alice || !bob) throw new Error('the chain has three accounts')
  const sender = createSender({
    answer: devnet.call,
    chainName: devnet.chainName,
    now,
    produceBlock: () => {}, // one comes by itself
  })
  return {
    devnet,
    sender,
    tick,
    owner,
    alice,
    bob,
    async call(signer, packageHash, entryPoint, args) {
      tick()
      const target = { packageHash, entryPoint }
      const [executed] = await sender.send([{ signer, target, args, paymentMotes: PAYMENT_MOTES }])
      return executed?.errorMessage ?? null
    },
    fork() {
      const clock = createClock(now(), tickMs)
      return rulesChainOn(devnet.fork({ now: clock.now }), clock, signers)
    },
    [Symbol.asyncDispose]: () => devnet.stop(),
  }
}
