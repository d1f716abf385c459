import type { ChainBlock } from './chainBlock.ts'
import type { ChainClock } from './chainClock.ts'
import type { ChainEvents } from './chainEvents.ts'
import type { ChainOptions } from './chainOptions.ts'
import { type ChainProtocol, versionOf } from './chainProtocols.ts'
import type { GenesisAccount } from './genesis.ts'
import type { Ledger, LedgerSnapshot } from './ledger.ts'
import type { Snapshots } from './snapshots.ts'
import type { TransactionPool } from './transactionPool.ts'

/** What a chain consists of. */
export interface ChainParts {
  readonly ledger: Ledger
  readonly options: ChainOptions
  readonly clock: ChainClock
  readonly events: ChainEvents
  readonly snapshots: Snapshots<Snapshot>
  /** Oldest first. The newest may begin with a later block: then it is planned. */
  protocols: readonly ChainProtocol[]
  pool: TransactionPool
}

export interface Snapshot {
  readonly ledger: LedgerSnapshot
  readonly protocols: readonly ChainProtocol[]
  readonly pool: TransactionPool
  readonly offsetMs: number
}

/** Returns the newest protocol, which may be planned. */
export function lastProtocol({ protocols }: Pick<ChainParts, 'protocols'>): ChainProtocol {
  const newest = protocols.at(-1)
  if (newest === undefined) throw new Error('the chain has no protocol')
  return newest
}

/** Returns the protocol of the next block. */
export function nextProtocol({ ledger: { blocks }, protocols }: ChainParts): ChainProtocol {
  const height = blocks.isEmpty ? 0 : blocks.tip().height + 1
  return lastProtocol({ protocols: protocols.filter(({ start }) => start.height <= height) })
}

export const isFirstBlock = ({ height }: Pick<ChainBlock, 'height'>, { protocols }: ChainParts): boolean =>
  protocols.some(({ start }) => start.height === height)

export const nextBlockTime = ({ ledger: { blocks }, clock }: ChainParts): number =>
  Math.max(clock.now(), blocks.tip().timestampMs + 1)

export const apiVersion = (parts: ChainParts) => ({ ApiVersion: versionOf(nextProtocol(parts).chainspec) })

/** Returns the accounts with motes at genesis, without the validators. */
export const fundedAccounts = ({ accounts, faucet }: ChainOptions): readonly GenesisAccount[] =>
  faucet === undefined ? accounts : [...accounts, faucet]
