/**
 * A preload that records all blocks of the embedded chains of a program or of tests, for `contracts/oracle`:
 *
 * CHAINS_FILE=/tmp/chains.jsonl bun --preload ./scripts/recordChains.ts src/demo.ts
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { memberAt } from '@wattfeed/base'
import type { ChainBlock } from '../packages/casper-devnet/src/chain/chainBlock.ts'
import type { ChainOptions } from '../packages/casper-devnet/src/chain/chainOptions.ts'
import {
  type Chain,
  createChain as createUnrecorded,
} from '../packages/casper-devnet/src/chain/createChain.ts'

export type { Chain }

import { execute } from '../packages/casper-devnet/src/engine/execute.ts'
import { genesisOf } from './chains/genesisOf.ts'

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

/**
 * Returns the chain, which from now on also records its blocks above a height, until an upgrade is planned: a replay has the rules of one
 * protocol.
 */
function recorded(chain: Chain, height: number, isEnded = false): Chain {
  let last = height
  const writeNew = (): void => {
    while (!isEnded && last < chain.tip().height) {
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
    upgrade(next) {
      isEnded = true
      return chain.upgrade(next)
    },
    fork: (now) => recorded(chain.fork(now), chain.tip().height, isEnded),
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
