import { assertOptions, InvalidArgumentError, type OptionNames } from '@wattfeed/base'
import { blake2b } from './blake2b.ts'
import type { ChainBlock } from './chain/chainBlock.ts'
import type { ChainListener } from './chain/chainEvent.ts'
import { type Chain, createChain } from './chain/createChain.ts'
import { chainspecs } from './chainspec.ts'
import { createControl } from './createControl.ts'
import { createSender } from './createSender.ts'
import { defaultProtocol } from './defaultProtocol.ts'
import { createDevnetAccount, type DevnetAccount } from './devnetAccount.ts'
import type { DevnetView } from './devnetView.ts'
import { execute } from './engine/execute.ts'
import { keepChain } from './keptChains.ts'
import { newestProtocol, type Protocol, protocols } from './protocol.ts'
import { type ReportFault, reportFault } from './reportFault.ts'
import { createAnswerRpc } from './rpc/createAnswerRpc.ts'
import { devnetMethods } from './rpc/devnetMethods.ts'
import type { RpcAnswer } from './rpcAnswer.ts'
import { READABLE_ROOTS } from './state/stateTrie.ts'
import { viewEntryPoint } from './viewEntryPoint.ts'

/** Options of {@link createDevnet}. */
export interface DevnetOptions {
  /**
   * Name of the chain.
   * @default 'casper-devnet'
   */
  chainName?: string
  /**
   * Number of funded accounts.
   * @default 10
   */
  accounts?: number
  /**
   * Public keys of other accounts to fund, in hex with the algorithm byte.
   * @default none
   */
  fund?: readonly string[]
  /**
   * Seed of all keys.
   * @default 'casper-devnet'
   */
  seed?: string
  /**
   * Clock of the chain, in epoch milliseconds.
   * @default Date.now
   */
  now?: () => number
  /**
   * Time between blocks in milliseconds. Null makes an immediate block for each transaction; with `manual`, only
   * `produceBlock` makes blocks.
   * @default null
   */
  blockTimeMs?: number | null | 'manual'
  /**
   * Storage directory; null stores the chain in memory only.
   * @default null
   */
  directory?: string | null
  /**
   * Number of validators.
   * @default 3
   */
  validators?: number
  /**
   * Blocks per era.
   * @default 20
   */
  eraLength?: number
  /**
   * Number of newest state roots that stay readable.
   * @default 256
   */
  retainedRoots?: number
  /**
   * The network whose costs, limits and fees the chain has: `2.2.2` for the public test network, `2.0.3` for a network of
   * casper-node 2.0.3.
   * @default '2.2.2'
   */
  protocol?: Protocol
  /**
   * Called with internal errors, such as a block that could not be made.
   * @default writes to standard error
   */
  report?: ReportFault
}

/** A Casper chain in this process. */
export interface Devnet extends AsyncDisposable {
  /** Answers a JSON-RPC call in this process, without a socket. */
  call(method: string, params?: unknown): Promise<RpcAnswer>
  /** Name of the chain. */
  readonly chainName: string
  /** Hash of the genesis block, for the option `trustedBlockHash` of a verifying client. */
  readonly genesisHash: string
  /** The funded accounts. */
  readonly accounts: readonly DevnetAccount[]
  /** The chain's clock, in epoch milliseconds. */
  readonly now: () => number
  /** Initial balance of each account, in motes. */
  readonly accountMotes: bigint
  /** Makes a block with the pending transactions, or an empty one. */
  produceBlock(): ChainBlock
  /**
   * Moves the chain's clock forward. The next block has the new time.
   *
   * A transaction is in time if it is so by this clock, or by the clock before all moves: SDKs use that of the machine.
   *
   * @throws {@link InvalidArgumentError} for a time that is not after the newest block.
   */
  increaseTime(ms: number): void
  /**
   * Sets the chain's clock, which continues from there.
   *
   * @param timeMs - epoch milliseconds, after the time of the newest block
   * @throws {@link InvalidArgumentError} for a time that is not after the newest block.
   */
  setTime(timeMs: number): void
  /**
   * Keeps the state of the chain: blocks, global state, pending transactions and the clock.
   *
   * @returns the snapshot's number, for `revert`
   */
  snapshot(): number
  /**
   * Returns to a snapshot, also on disk. The snapshot stays, so a chain can return to it again; later ones are forgotten. Readers of
   * the event stream are disconnected.
   *
   * @returns the newest block, which is that of the snapshot
   * @throws {@link InvalidArgumentError} for an unknown snapshot.
   */
  revert(snapshotId: number): ChainBlock
  /**
   * Transfers motes from the faucet, an account with 10^21 motes at genesis, and waits for the block.
   *
   * @param account - public key in hex, or account hash; it needs no account yet
   * @param motes - at least 2,500,000,000
   * @throws {@link InvalidArgumentError} for an account or an amount of the wrong shape.
   * @throws {@link DevnetTransactionError} when the chain rejects the transfer.
   */
  fund(account: string, motes: bigint): Promise<void>
  /**
   * Executes an entry point without a transaction, and keeps nothing of it: a getter of a contract.
   *
   * @returns what it returned, as the `parsed` of a node's JSON: numbers above 32 bits of `U128`, `U256` and `U512` are text
   * @throws {@link DevnetTransactionError} when the entry point fails, with the node's message.
   * @throws {@link InvalidArgumentError} for a package hash, an argument or a member that is wrong, such as the hash of a contract.
   */
  view(view: DevnetView): unknown
  /**
   * Plans the upgrade to the newest protocol, with which the next era begins, as on a network. The first block of the new
   * protocol has no transactions and is an era of its own.
   *
   * A chain that is stopped before that block forgets the plan.
   *
   * @returns the first era of the newest protocol, also if it has begun
   */
  upgrade(): number
  /**
   * Passes the events of the chain from now on to a listener, in the format of a node's event stream, `ApiVersion` first.
   * What the listener throws goes to `report`.
   *
   * @returns a function that removes the listener
   */
  subscribe(listener: ChainListener): () => void
  /**
   * Creates a copy of the chain, in memory only, without pending transactions. It takes a millisecond; booting
   * and installing contracts takes a hundred.
   *
   * @param options - the clock; by default that of this chain
   */
  fork(options?: Pick<DevnetOptions, 'now'>): Devnet
  /** Stops making blocks and closes the block log. */
  stop(): Promise<void>
}

const optionNames: OptionNames<DevnetOptions> = {
  chainName: 1,
  accounts: 1,
  fund: 1,
  seed: 1,
  now: 1,
  blockTimeMs: 1,
  directory: 1,
  validators: 1,
  eraLength: 1,
  retainedRoots: 1,
  protocol: 1,
  report: 1,
}

const ACCOUNT_MOTES = 1_000_000_000_000_000_000n
const FAUCET_MOTES = 1_000n * ACCOUNT_MOTES
const utf8 = new TextEncoder()

/**
 * Creates a Casper chain, for development only: anyone with the seed can derive its secret keys.
 *
 * @example
 * ```ts
 * import { createDevnet } from '@wattfeed/casper-devnet'
 *
 * await using devnet = createDevnet()
 * console.log(await devnet.call('chain_get_state_root_hash')) // { result: { state_root_hash: …
 * ```
 *
 * @throws {@link InvalidArgumentError} for an option that does not exist, and for an unknown protocol.
 * @throws {@link WattfeedError} with the code `foreign_data` when the directory contains another chain.
 */
export function createDevnet(options: DevnetOptions = {}): Devnet {
  assertOptions(options, optionNames)
  const { chainName = 'casper-devnet', seed: seedText = 'casper-devnet', accounts = 10, fund = [] } = options
  const { now = Date.now, blockTimeMs = null, report = reportFault } = options
  const {
    protocol = defaultProtocol,
    directory = null,
    retainedRoots = READABLE_ROOTS,
    validators,
    eraLength,
  } = options
  if (!protocols.includes(protocol))
    throw new InvalidArgumentError('protocol', `one of ${protocols.join(', ')}`)
  const seed = blake2b(utf8.encode(seedText))
  const made = Array.from({ length: accounts }, (_, index) => createDevnetAccount(seed, index))
  const faucet = createDevnetAccount(seed, 'faucet')
  const funded = [...made.map(({ publicKey }) => publicKey), ...fund]
  const chain = createChain({
    chainName,
    seed,
    accounts: funded.map((publicKey) => ({ publicKey, balanceMotes: ACCOUNT_MOTES })),
    faucet: { publicKey: faucet.publicKey, balanceMotes: FAUCET_MOTES },
    engine: execute,
    chainspec: chainspecs[protocol],
    now,
    blockTimeMs,
    directory,
    validators,
    eraLength,
    retainedRoots,
  })
  return devnetOn(chain, made, { faucet, blockTimeMs, report })
}

function devnetOn(
  chain: Chain,
  accounts: readonly DevnetAccount[],
  options: Required<Pick<DevnetOptions, 'blockTimeMs' | 'report'>> & { faucet: DevnetAccount },
): Devnet {
  const { faucet, blockTimeMs, report } = options
  const timer =
    typeof blockTimeMs === 'number' ? setInterval(() => tryBlock(chain, report), blockTimeMs) : null
  const control = createControl(chain, faucet)
  const { produceBlock, increaseTime, setTime, snapshot, revert } = control
  const answer = createAnswerRpc(chain, report, devnetMethods(control))
  const stop = async (): Promise<void> => {
    if (timer !== null) clearInterval(timer)
    chain.close()
  }
  const devnet: Devnet = {
    // Async, because most answers are not promises.
    call: async (method, params) => answer(method, params),
    chainName: chain.chainName,
    genesisHash: chain.genesisHash,
    accounts,
    now: chain.now,
    accountMotes: ACCOUNT_MOTES,
    produceBlock,
    increaseTime,
    setTime,
    snapshot,
    revert,
    fund: (to, motes) => createSender(devnet, faucet).transfer({ to, motes }),
    view: (asked) => viewEntryPoint(chain, asked, faucet.accountHash),
    subscribe: (listener) => chain.subscribe(guarded(listener, report)),
    upgrade: () => chain.upgrade(chainspecs[newestProtocol]),
    fork(asked = {}) {
      assertOptions(asked, { now: 1 })
      return devnetOn(chain.fork(asked.now), accounts, options)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
  keepChain(devnet, chain)
  return devnet
}

/** A listener that fails does not fail the transaction that it hears of. */
function guarded(listener: ChainListener, report: ReportFault): ChainListener {
  return (event) => {
    try {
      listener(event)
    } catch (error) {
      report(error)
    }
  }
}

/** If a block fails, for example because the disk is full, its transactions stay pending for the next block. */
function tryBlock(chain: Chain, report: ReportFault): void {
  try {
    chain.produceBlock()
  } catch (error) {
    report(error)
  }
}
