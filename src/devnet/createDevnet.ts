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
  /** How many funded accounts to make. @default 10 */
  accounts?: number
  /** Public keys of other accounts to fund. @default none */
  fund?: readonly string[]
  /** Where every key comes from. @default 'casper-devnet' */
  seed?: string
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /** How often a block is made, in milliseconds; null: one at once for each transaction. @default null */
  blockTimeMs?: number | null
  /** Where the chain is kept; null: in memory only. @default null */
  directory?: string | null
  /** How many validators sign blocks. @default 3 */
  validators?: number
  /** How many blocks an era has. @default 20 */
  eraLength?: number
  /** How many state roots can be read, the newest. @default READABLE_ROOTS */
  retainedRoots?: number
  /** Is told what goes wrong inside: of a block that could not be made, of a bug. @default standard error */
  report?: ReportFault
}

/** A Casper chain in this process. */
export interface Devnet extends DevnetNode, AsyncDisposable {
  readonly chainName: string
  /** Hash of the first block: what a client that trusts nobody begins with. */
  readonly genesisHash: string
  readonly accounts: readonly DevnetAccount[]
  /** The chain's clock, in epoch milliseconds. */
  readonly now: () => number
  /** What each account had in the beginning. */
  readonly accountMotes: bigint
  /** Answers one call in the process, without a socket. Throws where a fault would break the connection. */
  call(method: string, params?: unknown): Promise<RpcAnswer>
  /** Makes a block of what is pending, even if that is nothing. */
  produceBlock(): ChainBlock
  /** What this node does wrong. */
  readonly faults: Faults
  /** Another node of the same chain, with faults of its own. */
  createNode(): DevnetNode
  /** Makes no more blocks, and closes the log. */
  stop(): Promise<void>
}

/** How many blocks back global state can be read, if nothing else is said. */
export const READABLE_ROOTS = 256

const ACCOUNT_MOTES = 1_000_000_000_000_000_000n
const utf8 = new TextEncoder()

/**
 * Makes a Casper chain, for development only: everyone who knows the seed has its keys.
 *
 * Throws a `ForeignDataError` where the directory holds another chain.
 *
 * @example
 * ```ts
 * await using devnet = createDevnet()
 * await devnet.call('chain_get_state_root_hash')
 * ```
 */
export function createDevnet(options: DevnetOptions = {}): Devnet {
  const {
    chainName = 'casper-devnet',
    accounts = 10,
    fund = [],
    blockTimeMs = null,
    now = Date.now,
  } = options
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
    isOnDemand: blockTimeMs === null,
    directory: options.directory ?? null,
    validators: options.validators ?? 3,
    eraLength: options.eraLength ?? 20,
    retainedRoots: options.retainedRoots ?? READABLE_ROOTS,
  })
  const { report = reportFault } = options
  const timer = blockTimeMs === null ? null : setInterval(() => tryBlock(chain, report), blockTimeMs)
  const node = createNode(chain, report)
  const stop = async (): Promise<void> => {
    if (timer !== null) clearInterval(timer)
    chain.close()
  }
  return {
    ...node,
    chainName,
    genesisHash: chain.genesisHash,
    accounts: made,
    now,
    accountMotes: ACCOUNT_MOTES,
    produceBlock: chain.produceBlock,
    createNode: () => createNode(chain, report),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** What is pending stays so where there is no block, as on a full disk: the next one holds it. */
function tryBlock(chain: Chain, report: ReportFault): void {
  try {
    chain.produceBlock()
  } catch (error) {
    report(error)
  }
}
