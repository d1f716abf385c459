import type { Chainspec } from '../chainspec.ts'
import type { ConsensusOptions } from '../consensus/createConsensus.ts'
import type { Engine } from '../engine/execute.ts'
import type { GenesisAccount } from './genesis.ts'
import type { LedgerOptions } from './ledger.ts'

export interface ChainOptions extends LedgerOptions, Omit<ConsensusOptions, 'start'> {
  /** At genesis. */
  chainspec: Chainspec
  /** An account at genesis that does not tell the chain of a directory from another one. */
  faucet?: GenesisAccount
  engine: Engine
  now: () => number
  /** Time between blocks in milliseconds; null: an immediate block for each transaction; `manual`: no automatic blocks. */
  blockTimeMs: number | null | 'manual'
}
