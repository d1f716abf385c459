import { memberAt } from '@wattfeed/base'
import { type Chainspec, chainspecs } from '../chainspec.ts'
import type { ConsensusOptions } from '../consensus/createConsensus.ts'
import type { EraStart } from '../consensus/eras.ts'
import { type TransactionRules, transactionRules } from '../transaction/transactionRules.ts'
import { ForeignDataError } from './blockLog.ts'
import type { ChainBlock } from './chainBlock.ts'
import { blockAt } from './chainView.ts'
import type { Ledger } from './ledger.ts'
import { createSealer, type Sealer } from './sealer.ts'

/** What the protocols of a chain are made of. */
interface ProtocolOptions extends Omit<ConsensusOptions, 'start'> {
  /** Storage directory, or null if the chain is in memory only. */
  directory: string | null
}

/** A protocol of the chain, from its first block on. */
export interface ChainProtocol {
  chainspec: Chainspec
  start: EraStart
  rules: TransactionRules
  sealer: Sealer
}

/** @param start its first block */
export function protocolFrom(start: EraStart, chainspec: Chainspec, options: ProtocolOptions): ChainProtocol {
  const sealer = createSealer({ ...options, chainspec, start })
  return { chainspec, start, rules: transactionRules(chainspec), sealer }
}

export const versionOf = ({ protocol }: Chainspec): string => protocol.version.join('.')

/**
 * Returns the protocols of a chain's blocks, oldest first.
 *
 * @throws {ForeignDataError} when the blocks of the directory began with another protocol, and their state with other contents
 */
export function storedProtocols({ blocks }: Ledger, options: ProtocolOptions): ChainProtocol[] {
  const { directory, chainspec } = options
  const first = protocolFrom({ height: 0, eraId: 0 }, chainspec, options)
  if (blocks.isEmpty || directory === null) return [first]
  const [found, newest] = [blocks.genesis(), blocks.tip()].map(protocolOf)
  const expected = versionOf(chainspec)
  const rule = `its protocol is ${found}, not ${expected} (--protocol)`
  if (found !== expected) throw new ForeignDataError({ path: directory, rule })
  const upgraded = Object.values(chainspecs).find((each) => versionOf(each) === newest)
  if (newest === found || upgraded === undefined) return [first]
  let height = blocks.tip().height
  while (protocolOf(blockAt({ getBlock: blocks.get }, height - 1)) === newest) height -= 1
  const { eraId } = blockAt({ getBlock: blocks.get }, height)
  return [first, protocolFrom({ height, eraId }, upgraded, options)]
}

const protocolOf = ({ json }: ChainBlock): unknown => memberAt(json.block.Version2.header, 'protocol_version')
