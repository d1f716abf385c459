import { readFileSync, writeFileSync } from 'node:fs'
import { attestArguments } from '../../../src/agent/attestArguments.ts'
import { clAddress, clBool, clOption, clString, clU8 } from '../../../src/agent/transaction/clValue.ts'
import { loadSigner } from '../../../src/agent/transaction/signer.ts'
import { signTransaction } from '../../../src/agent/transaction/signTransaction.ts'
import { createDevnet } from '../../../src/devnet/chain/createDevnet.ts'

const performance = {
  now: () => {
    const u = process.cpuUsage()
    return (u.user + u.system) / 1000
  },
}
const N = Number(process.argv[2] ?? 36)
let time = 1_800_000_000_000
const t0 = performance.now()
const devnet = createDevnet({ accounts: 1, now: () => time })
const t1 = performance.now()
console.log('boot', (t1 - t0).toFixed(1))
writeFileSync('/tmp/k.pem', devnet.accounts[0]!.secretKeyPem, { mode: 0o600 })
const { signer } = await loadSigner('/tmp/k.pem')
let clientMs = 0,
  chainMs = 0
const send = async (target: any, args: any, payment: bigint) => {
  time += 10
  const a = performance.now()
  const s = await signTransaction(signer, {
    chainName: devnet.chainName,
    target,
    args,
    paymentMotes: payment,
    timestamp: time,
  })
  const b = performance.now()
  clientMs += b - a
  const r: any = await devnet.call('account_put_transaction', { transaction: s.transaction })
  chainMs += performance.now() - b
  if (r.error) throw new Error(JSON.stringify(r.error))
  return s.hash
}
const info = async (hash: string) =>
  ((await devnet.call('info_get_transaction', { transaction_hash: { Version1: hash } })) as any).result
    .execution_info.execution_result.Version2
const wasm = (n: string) => readFileSync(`/work/main/contracts/wasm/${n}.wasm`)
const cfg = (name: string) => ({
  odra_cfg_is_upgradable: clBool(true),
  odra_cfg_is_upgrade: clBool(false),
  odra_cfg_allow_key_override: clBool(false),
  odra_cfg_package_hash_key_name: clString(`${name}_package_hash`),
  odra_cfg_is_factory_upgrade: clBool(false),
  odra_cfg_create_upgrade_group: clBool(true),
})
const acc = clAddress(signer.accountHash)
const i1 = performance.now()
for (const [n, arg] of [
  ['OpenGate', {}],
  ['FeedRegistry', { owner: acc }],
  ['AttestationRegistry', { attester: acc }],
  ['EligibilityGate', { owner: acc }],
] as const) {
  const h = await send({ wasm: wasm(n) }, { ...cfg(n), ...arg }, 600_000_000_000n)
  const e = await info(h)
  console.log(n, e.error_message, e.consumed)
}
console.log(
  'install',
  (performance.now() - i1).toFixed(1),
  'chain',
  chainMs.toFixed(1),
  'client',
  clientMs.toFixed(1),
)
const acct: any = (
  (await devnet.call('state_get_account_info', { account_identifier: signer.publicKey })) as any
).result.account
const key = (n: string) => acct.named_keys.find((k: any) => k.name === n).key.slice(5)
const feeds = key('FeedRegistry_package_hash'),
  att = key('AttestationRegistry_package_hash')
let h = await send(
  { packageHash: att, entryPoint: 'set_feed_registry' },
  { feed_registry: clAddress(`hash-${feeds}`) },
  2_500_000_000n,
)
console.log((await info(h)).error_message)
h = await send(
  { packageHash: feeds, entryPoint: 'set_eligibility_gate' },
  { gate: clAddress(`hash-${key('OpenGate_package_hash')}`) },
  2_500_000_000n,
)
console.log((await info(h)).error_message)
chainMs = clientMs = 0
let r0 = performance.now()
for (let i = 0; i < N; i++) {
  h = await send(
    { packageHash: feeds, entryPoint: 'register_feed' },
    {
      feed_id: clString(`EIA.TEST.FEED${i}.DAILY`),
      decimals: clU8(2),
      unit: clString('$/bbl'),
      title: clString('A title of a feed'),
      source: clString('EIA'),
      route: clString('petroleum/pri/spt'),
      frequency: clString('daily'),
      description: clString('x'.repeat(120)),
    },
    2_500_000_000n,
  )
  if (i === 0) {
    const e = await info(h)
    console.log(e.error_message, e.consumed)
  }
}
console.log(
  'register',
  N,
  (performance.now() - r0).toFixed(0),
  'chain/tx',
  (chainMs / N).toFixed(2),
  'client/tx',
  (clientMs / N).toFixed(2),
)
chainMs = clientMs = 0
r0 = performance.now()
for (let i = 0; i < N; i++) {
  h = await send(
    { packageHash: att, entryPoint: 'attest' },
    attestArguments({
      feedId: `EIA.TEST.FEED${i}.DAILY`,
      period: 20260101,
      amount: 7123n,
      sourceHash: 'ab'.repeat(16),
    }),
    2_500_000_000n,
  )
  if (i === 0) {
    const e = await info(h)
    console.log(e.error_message, e.consumed)
  }
}
console.log(
  'attest',
  N,
  (performance.now() - r0).toFixed(0),
  'chain/tx',
  (chainMs / N).toFixed(2),
  'client/tx',
  (clientMs / N).toFixed(2),
  'rss',
  (process.memoryUsage().rss / 1e6).toFixed(0),
)
const q0 = performance.now()
for (let i = 0; i < 500; i++) await devnet.call('query_global_state', { key: `hash-${feeds}`, path: [] })
console.log('read', ((performance.now() - q0) / 500).toFixed(3))
await devnet.stop()
