import { blake2b } from './blake2b.ts'
import type { ChainBlock } from './chain/chainView.ts'
import { type Chain, createChain } from './chain/createChain.ts'
import { chainspec } from './chainspec.ts'
import { createDevnetAccount, type DevnetAccount } from './consensus/keys.ts'
import { createNode, type DevnetNode } from './createNode.ts'
import { createEngine } from './engine/execute.ts'
import type { Faults } from './faults/faults.ts'
import { type ReportFault, reportFault } from './reportFault.ts'
import type { RpcAnswer } from './rpcAnswer.ts'
import { transactionRules } from './transaction/transactionRules.ts'

export interface DevnetOptions {
  /** @default 'casper-devnet' */
  chainName?: string
  /** Number of funded accounts. @default 10 */
  accounts?: number
  /** Public keys of other accounts to fund. @default none */
  fund?: readonly string[]
  /** Seed of all keys. @default 'casper-devnet' */
  seed?: string
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /**
   * Time between blocks in milliseconds; null: an immediate block for each transaction; `manual`: only `produceBlock`
   * makes blocks. @default null
   */
  blockTimeMs?: number | null | 'manual'
  /** Storage directory; null: in memory only. @default null */
  directory?: string | null
  /** Number of validators. @default 3 */
  validators?: number
  /** Blocks per era. @default 20 */
  eraLength?: number
  /** Number of newest state roots that stay readable. @default READABLE_ROOTS */
  retainedRoots?: number
  /** Called with internal errors: a block that could not be made, a bug. @default standard error */
  report?: ReportFault
}

/** A Casper chain in this process. */
export interface Devnet extends DevnetNode, AsyncDisposable {
  readonly chainName: string
  /** Hash of the first block: the trusted block of a verifying client. */
  readonly genesisHash: string
  readonly accounts: readonly DevnetAccount[]
  /** The chain's clock, in epoch milliseconds. */
  readonly now: () => number
  /** Initial balance of each account. */
  readonly accountMotes: bigint
  /**
   * Answers one call in this process, without a socket.
   *
   * @throws {NodeFaultError} when a fault would refuse or break the connection
   */
  call(method: string, params?: unknown): Promise<RpcAnswer>
  /** Makes a block of the pending transactions, even if there are none. */
  produceBlock(): ChainBlock
  /** Faults of this node. */
  readonly faults: Faults
  /** Creates another node of the same chain, with its own faults. */
  createNode(): DevnetNode
  /**
   * Creates a chain that begins with this one's blocks and goes on by itself, in memory only: it takes a millisecond, where
   * booting and installing contracts takes a hundred. Pending transactions and faults are left out.
   *
   * @param options by default the clock is the same
   */
  fork(options?: Pick<DevnetOptions, 'now'>): Devnet
  /** Stops making blocks and closes the log. */
  stop(): Promise<void>
}

/** Default number of readable state roots. */
export const READABLE_ROOTS = 256

const ACCOUNT_MOTES = 1_000_000_000_000_000_000n
const utf8 = new TextEncoder()

/**
 * Creates a Casper chain, for development only: everyone who knows the seed has its keys.
 *
 * @throws {ForeignDataError} when the directory contains another chain
 *
 * @example
 * ```ts
 * await using devnet = createDevnet()
 * await devnet.call('chain_get_state_root_hash')
 * ```
 */
export function createDevnet(options: DevnetOptions = {}): Devnet {
  const { chainName = 'casper-devnet', accounts = 10, fund = [], now = Date.now } = options
  const seed = blake2b(utf8.encode(options.seed ?? 'casper-devnet'))
  const made = Array.from({ length: accounts }, (_, index) => createDevnetAccount(seed, index))
  const chain = createChain({
    chainName,
    seed,
    accounts: [...made.map(({ publicKey }) => publicKey), ...fund].map((publicKey) => ({
      publicKey,
      balanceMotes: ACCOUNT_MOTES,
    })),
    engine: createEngine({ chainspec }),
    rules: transactionRules(chainspec),
    now,
    blockTimeMs: options.blockTimeMs ?? null,
    directory: options.directory ?? null,
    validators: options.validators ?? 3,
    eraLength: options.eraLength ?? 20,
    retainedRoots: options.retainedRoots ?? READABLE_ROOTS,
  })
  return devnetOn(chain, made, { ...options, now })
}

function devnetOn(
  chain: Chain,
  accounts: readonly DevnetAccount[],
  options: DevnetOptions & Required<Pick<DevnetOptions, 'now'>>,
): Devnet {
  const { now, blockTimeMs = null, report = reportFault } = options
  const timer =
    typeof blockTimeMs === 'number' ? setInterval(() => tryBlock(chain, report), blockTimeMs) : null
  const node = createNode(chain, report)
  const stop = async (): Promise<void> => {
    if (timer !== null) clearInterval(timer)
    chain.close()
  }
  return {
    ...node,
    chainName: chain.chainName,
    genesisHash: chain.genesisHash,
    accounts,
    now,
    accountMotes: ACCOUNT_MOTES,
    produceBlock: chain.produceBlock,
    createNode: () => createNode(chain, report),
    fork: ({ now: clock = now } = {}) => devnetOn(chain.fork(clock), accounts, { ...options, now: clock }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** If a block fails, as on a full disk, its transactions stay pending for the next one. */
function tryBlock(chain: Chain, report: ReportFault): void {
  try {
    chain.produceBlock()
  } catch (error) {
    report(error)
  }
}
