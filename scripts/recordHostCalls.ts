/**
 * Records transactions that call every host function, as the engine of casper-node 2.2 executes them:
 *
 * bun scripts/recordHostCalls.ts fixtures/host-calls contracts/oracle/target/release/replay
 *
 * The folder has the wasm that `contracts/build --host-calls` writes; the program is of `contracts/oracle`. The embedded chain only
 * gives the genesis, so its tests compare it with results that it had no part in.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { memberAt } from '@wattfeed/base'
import { keys, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { withoutStoredWasm } from '@wattfeed/casper-devnet/testing/recordedChains'
import { testChainOptions } from '@wattfeed/casper-devnet/testing/testChain'
import { createChain } from '../packages/casper-devnet/src/chain/createChain.ts'
import { createAnswerRpc } from '../packages/casper-devnet/src/rpc/createAnswerRpc.ts'
import { genesisOf } from './chains/genesisOf.ts'
import { blocks } from './chains/listSteps.ts'
import { signStep } from './chains/signStep.ts'
import { startOracle } from './chains/startOracle.ts'

const [folder, program] = process.argv.slice(2)
if (folder === undefined || program === undefined) {
  console.error('usage: bun scripts/recordHostCalls.ts FOLDER PROGRAM')
  process.exit(2)
}
const wasm = (name: string): Uint8Array => new Uint8Array(readFileSync(`${folder}/${name}.wasm`))
const options = testChainOptions()
const chain = createChain(options)
const genesis = genesisOf(chain, options)

/** Keys by the names that transactions gave them. */
const named = new Map<string, string>()

function names(name: string): string {
  const found = named.get(name)
  if (found === undefined) throw new Error(`no transaction before this one has written a key named ${name}`)
  return found
}

/** Remembers the named keys that a transaction added to its account or to a contract. */
function remember(result: unknown): void {
  const effects = memberAt(result, 'Version2', 'effects')
  for (const effect of Array.isArray(effects) ? effects : []) {
    const added = memberAt(effect, 'kind', 'AddKeys')
    for (const each of Array.isArray(added) ? added : [])
      named.set(String(memberAt(each, 'name')), String(memberAt(each, 'key')))
  }
}

const call = createAnswerRpc(chain)
for (const [name, key] of [
  ['main purse', keys.ed25519],
  ['main purse of another', keys.secp256k1],
] as const) {
  const answer = await call('state_get_account_info', { account_identifier: key.publicKey.toHex() })
  named.set(name, String(memberAt(answer, 'result', 'account', 'main_purse')))
}

await using oracle = startOracle(program)
oracle.tell({ genesis })
const lines: object[] = [{ genesis }]
let parent = genesis.hash
for (const [index, steps] of blocks.entries()) {
  const time_ms = NOW + (index + 1) * 1_000
  const signed = steps.map((step) => signStep(step, { timeMs: time_ms, names, wasm }))
  const block = {
    hash: signed[0]?.hash ?? parent,
    parent_hash: parent,
    height: index + 1,
    time_ms,
    proposer: keys.ed25519.publicKey.toHex(),
    transactions: signed.map(({ transaction }) => ({ transaction })),
  }
  const answered = await oracle.ask({ block })
  const results: unknown[] = Array.isArray(answered) ? answered : []
  const transactions = signed.map(({ transaction }, at) => {
    const title = steps[at]?.title
    console.log(title, memberAt(results[at], 'Version2', 'error_message') ?? 'success')
    remember(results[at])
    return { title, transaction, execution_result: withoutStoredWasm(results[at]) }
  })
  lines.push({ block: { ...block, transactions } })
  parent = block.hash
}

const references = ['HostCalls', 'Vault', 'ProxyCallerWithReturn'].map(
  (name) => [`"${wasm(name).toHex()}"`, `"<fixtures/host-calls/${name}.wasm>"`] as const,
)
const pack = (line: object): string =>
  references.reduce((packed, [hex, reference]) => packed.replaceAll(hex, reference), JSON.stringify(line))
writeFileSync(`${folder}/calls.jsonl.gz`, gzipSync(`${lines.map(pack).join('\n')}\n`, { level: 9 }))
