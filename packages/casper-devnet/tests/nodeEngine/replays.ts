import { memberAt } from '@wattfeed/base'
import { type Chain, createChain } from '../../src/chain/createChain.ts'
import { chainspecs } from '../../src/chainspec.ts'
import { execute } from '../../src/engine/execute.ts'
import { protocols } from '../../src/protocol.ts'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import type { RecordedBlock, RecordedGenesis } from '../support/recordedChains.ts'
import { putTransaction } from '../support/sender.ts'

/** Embedded chains that repeat recorded ones, fork by fork: the same bytes at the same times. */
export interface Replays {
  start(genesis: RecordedGenesis): void
  /** Makes a block, and returns the results of its transactions. Throws if it is another block. */
  run(block: RecordedBlock): Promise<unknown[]>
}

/** An embedded chain that executes blocks of the node's engine, which has no hashes of blocks. */
export interface Replay {
  /** Makes a block with the same transactions at the same time, and returns their results. */
  run(block: RecordedBlock): Promise<unknown[]>
}

export function createReplay(genesis: RecordedGenesis): Replay {
  let nowMs = genesis.time_ms
  const chain = startChain(genesis, () => nowMs)
  return {
    run(block) {
      nowMs = block.time_ms
      return runBlock(chain, block)
    },
  }
}

export function createReplays(): Replays {
  let nowMs = 0
  const now = (): number => nowMs
  /** By the hash of the newest block. */
  const chains = new Map<string, Chain>()
  return {
    start(genesis) {
      nowMs = genesis.time_ms
      const chain = startChain(genesis, now)
      assertHash(chain, genesis.hash)
      chains.set(genesis.hash, chain)
    },
    async run(block) {
      const chain = chains.get(block.parent_hash)?.fork(now)
      if (chain === undefined) throw new Error(`the parent of block ${block.hash} is not recorded before it`)
      nowMs = block.time_ms
      const results = await runBlock(chain, block)
      assertHash(chain, block.hash)
      chains.set(block.hash, chain)
      return results
    },
  }
}

function startChain(
  { chain_name, seed, accounts, validators, era_length, chainspec }: RecordedGenesis,
  now: () => number,
): Chain {
  const version = chainspec.protocol.version.join('.')
  return createChain({
    chainName: chain_name,
    seed: Uint8Array.fromHex(seed),
    accounts: accounts.map(([publicKey, motes]) => ({ publicKey, balanceMotes: BigInt(motes) })),
    chainspec: chainspecs[protocols.find((each) => each === version) ?? '2.0.3'],
    engine: execute,
    now,
    blockTimeMs: 1,
    directory: null,
    validators,
    eraLength: era_length,
    retainedRoots: 2,
  })
}

async function runBlock(chain: Chain, { transactions }: RecordedBlock): Promise<unknown[]> {
  const call = createAnswerRpc(chain)
  for (const { transaction } of transactions) await putTransaction(call, transaction)
  chain.produceBlock()
  return Promise.all(
    transactions.map(async ({ transaction }) => {
      const [[version = '', { hash }] = ['', { hash: '' }]] = Object.entries<{ hash: string }>({
        ...transaction,
      })
      const found = await call('info_get_transaction', { transaction_hash: { [version]: hash } })
      return memberAt(found, 'result', 'execution_info', 'execution_result')
    }),
  )
}

function assertHash(chain: Chain, hash: string): void {
  const found = chain.tip().hash
  if (found !== hash) throw new Error(`the block is ${found}, not ${hash}`)
}
