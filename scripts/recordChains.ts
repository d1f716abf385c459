/**
 * A preload that records all blocks of the embedded chains of a program or of tests, for `packages/casper-devnet/oracle`:
 *
 * CHAINS_FILE=/tmp/chains.jsonl bun --preload ./scripts/recordChains.ts src/demo.ts
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { memberAt } from '@wattfeed/base'
import { formatUref } from '@wattfeed/casper/types'
import type { ChainBlock } from '../packages/casper-devnet/src/chain/chainBlock.ts'
import {
  type Chain,
  type ChainOptions,
  createChain as createUnrecorded,
} from '../packages/casper-devnet/src/chain/createChain.ts'

export type { Chain, ChainOptions }

import {
  genesisWrites,
  totalSupplyUref,
  totalSupplyWrite,
} from '../packages/casper-devnet/src/chain/genesis.ts'
import { createSealer } from '../packages/casper-devnet/src/chain/sealer.ts'
import { execute } from '../packages/casper-devnet/src/engine/execute.ts'

const { CHAINS_FILE } = process.env
if (CHAINS_FILE === undefined)
  throw new Error('CHAINS_FILE must be the file to which the blocks are appended')

Bun.plugin({
  name: 'recorded chains',
  setup(build) {
    build.onLoad({ filter: /\/(createDevnet|testChain)\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /'[^']*\/createChain\.ts'/,
        JSON.stringify(import.meta.path),
      ),
      loader: 'ts',
    }))
  },
})

/** Takes the place of the function that it calls. */
export function createChain(options: ChainOptions): Chain {
  const chain = createUnrecorded(options)
  // Tests of the chain alone replace the engine.
  if (options.engine !== execute) return chain
  write({ genesis: genesisOf(chain, options) })
  return recorded(chain, 0)
}

const written = new Set<string>()

function write(line: { genesis: { hash: string } } | { block: { hash: string } }): void {
  const { hash } = 'genesis' in line ? line.genesis : line.block
  // Forks share blocks.
  if (written.has(hash)) return
  written.add(hash)
  appendFileSync(`${CHAINS_FILE}`, `${JSON.stringify(line)}\n`)
}

function genesisOf({ genesisHash, getBlock }: Chain, options: ChainOptions) {
  const { chainName, chainspec, accounts, seed, validators, eraLength } = options
  const sealer = createSealer(options)
  const all = [...accounts, ...sealer.genesisAccounts]
  const burnsFees = chainspec.core.fee_handling.type === 'burn'
  const writes = [
    ...genesisWrites(all, seed),
    ...(burnsFees ? [totalSupplyWrite(all, sealer.weightsOf(0), seed)] : []),
  ]
  return {
    hash: genesisHash,
    time_ms: getBlock({ height: 0 })?.timestampMs,
    chain_name: chainName,
    seed: seed.toHex(),
    accounts: accounts.map(({ publicKey, balanceMotes }) => [publicKey, String(balanceMotes)]),
    validators,
    era_length: eraLength,
    chainspec,
    writes: writes.map(([key, stored]) => [key, stored.toHex()]),
    total_supply: burnsFees ? formatUref(totalSupplyUref(seed)) : null,
  }
}

/** Returns the chain, which from now on also records its blocks above a height. */
function recorded(chain: Chain, height: number): Chain {
  let last = height
  const writeNew = (): void => {
    while (last < chain.tip().height) {
      last += 1
      const block = chain.getBlock({ height: last })
      if (block !== null) write({ block: blockOf(chain, block) })
    }
  }
  // A directory may have had some.
  writeNew()
  return {
    ...chain,
    put(transaction) {
      const refusal = chain.put(transaction)
      writeNew()
      return refusal
    },
    produceBlock() {
      const block = chain.produceBlock()
      writeNew()
      return block
    },
    fork: (now) => recorded(chain.fork(now), chain.tip().height),
  }
}

function blockOf(chain: Chain, { hash, height, timestampMs, proposer, json }: ChainBlock) {
  const { header, body } = json.block.Version2
  const hashes = Object.values(body.transactions).flat()
  const found = hashes.map((each) =>
    'Deploy' in each
      ? chain.getTransaction('Deploy', each.Deploy)
      : chain.getTransaction('Version1', each.Version1),
  )
  return {
    hash,
    parent_hash: memberAt(header, 'parent_hash'),
    height,
    time_ms: timestampMs,
    proposer,
    transactions: found.map((known) => ({
      transaction: known?.json,
      execution_result: memberAt(known?.executionInfo, 'execution_result'),
    })),
  }
}
