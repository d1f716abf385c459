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
import { Args, ContractCallBuilder, SessionBuilder, Timestamp, type Transaction } from 'casper-js-sdk'
import { CHAIN_NAME, json, keys, NOW } from '../packages/casper/tests/support/sdkTransactions.ts'
import { createChain } from '../packages/casper-devnet/src/chain/createChain.ts'
import { createAnswerRpc } from '../packages/casper-devnet/src/rpc/createAnswerRpc.ts'
import { withoutStoredWasm } from '../packages/casper-devnet/tests/nodeEngine/chains.ts'
import { testChainOptions } from '../packages/casper-devnet/tests/support/testChain.ts'
import { genesisOf } from './chains/genesisOf.ts'
import { steps } from './chains/listSteps.ts'
import type { Step } from './chains/steps/step.ts'

const [folder, program] = process.argv.slice(2)
if (folder === undefined || program === undefined) {
  console.error('usage: bun scripts/recordHostCalls.ts FOLDER PROGRAM')
  process.exit(2)
}
const wasm = new Map(
  ['HostCalls', 'Vault', 'ProxyCallerWithReturn'].map((name) => [
    name,
    new Uint8Array(readFileSync(`${folder}/${name}.wasm`)),
  ]),
)
const options = testChainOptions()
const chain = createChain(options)
const genesis = genesisOf(chain, options)

const engine = Bun.spawn([program, '--answer'], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
const answers = linesOf(engine.stdout)

function tell(line: object): void {
  engine.stdin.write(`${JSON.stringify(line)}\n`)
  engine.stdin.flush()
}

async function ask(line: object): Promise<unknown> {
  tell(line)
  const { value, done } = await answers.next()
  if (done) throw new Error(`${program} ended without an answer`)
  return JSON.parse(value)
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Keys by the names that transactions gave them. */
const named = new Map<string, string>()

function nameOf(name: string): string {
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

function sign({ target, args, by, paymentCspr }: Step, timeMs: number): Transaction {
  const [initiator, ...others] = by
  const transaction = builderOf(target)
    .from(keys[initiator].publicKey)
    .chainName(CHAIN_NAME)
    .timestamp(new Timestamp(new Date(timeMs)))
    .payment(paymentCspr * 1_000_000_000, 1)
    .runtimeArgs(Args.fromMap(args(nameOf)))
    .build()
  for (const each of [initiator, ...others]) transaction.sign(keys[each])
  return transaction
}

function builderOf(target: Step['target']): SessionBuilder | ContractCallBuilder {
  if ('session' in target) {
    const builder = new SessionBuilder().wasm(wasm.get(target.session) ?? new Uint8Array())
    return target.isInstall ? builder.installOrUpgrade() : builder
  }
  const builder = new ContractCallBuilder().entryPoint(target.entryPoint)
  return 'contract' in target
    ? builder.byHash(nameOf(target.contract).replace('hash-', ''))
    : builder.byPackageHash(nameOf(target.package).replace('hash-', ''))
}

async function nameMainPurses(): Promise<void> {
  const call = createAnswerRpc(chain)
  for (const [name, key] of [
    ['main purse', keys.ed25519],
    ['main purse of another', keys.secp256k1],
  ] as const) {
    const answer = await call('state_get_account_info', { account_identifier: key.publicKey.toHex() })
    named.set(name, String(memberAt(answer, 'result', 'account', 'main_purse')))
  }
}

await nameMainPurses()
tell({ genesis })
const lines: object[] = [{ genesis }]
let parent = genesis.hash
for (const [index, step] of steps.entries()) {
  const time_ms = NOW + (index + 1) * 1_000
  const transaction = { Version1: json(sign(step, time_ms).toJSON()) }
  const hash = String(memberAt(transaction.Version1, 'hash'))
  const block = {
    hash,
    parent_hash: parent,
    height: index + 1,
    time_ms,
    proposer: keys.ed25519.publicKey.toHex(),
    transactions: [{ transaction }],
  }
  const answered = await ask({ block })
  const result = Array.isArray(answered) ? answered[0] : null
  remember(result)
  console.log(step.title, memberAt(result, 'Version2', 'error_message') ?? 'success')
  const execution_result = withoutStoredWasm(result)
  lines.push({ block: { ...block, transactions: [{ title: step.title, transaction, execution_result }] } })
  parent = hash
}
engine.stdin.end()
await engine.exited

const references = [...wasm].map(
  ([name, code]) => [code.toHex(), `<fixtures/host-calls/${name}.wasm>`] as const,
)
const text = lines.map((line) =>
  references.reduce((packed, [hex, reference]) => packed.replace(hex, reference), JSON.stringify(line)),
)
writeFileSync(`${folder}/calls.jsonl.gz`, gzipSync(`${text.join('\n')}\n`, { level: 9 }))
