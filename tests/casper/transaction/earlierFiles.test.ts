import { describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRegistry } from '../../../src/client/registry.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import { install } from '../../../src/operator/contracts/install.ts'
import { createPendingClaimFile, submitClaim } from '../../../src/operator/eligibility/submitClaim.ts'
import { createRegistrationStore, registerFeeds } from '../../../src/operator/feeds/registerFeeds.ts'
import { attestationOf, createOutboxBench } from '../../agent/outbox/outboxBench.ts'
import { testSigner } from '../../agent/support/keys.ts'
import { createBench } from '../../agent/support/operation.ts'
import { rpcOf } from '../../agent/support/rpc.ts'
import { createScriptedNode } from '../../agent/support/scriptedNode.ts'
import { builtContract } from '../../devnet/registries/installRegistries.ts'
import { createGateChain } from '../../operator/eligibility/gateChain.ts'
import { createConfig } from '../../operator/feeds/support/feedConfigs.ts'
import { CHAIN_NAME, createFeedsChain } from '../../operator/feeds/support/feedsChain.ts'
import { createRegistrationBench } from '../../operator/feeds/support/registrationBench.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder } from '../../support/folder.ts'

// As version 0.1.0 wrote them, killed after its transaction was accepted: see fixtures/README.md.
const fixtures = fileURLToPath(new URL('../../../fixtures/pending/', import.meta.url))
const registrationFile = `registration-${CHAIN_NAME}.json`
const attestFile = readdirSync(fixtures).find((name) => /^[0-9a-f]{64}\.json$/.test(name)) ?? ''

/** Puts a fixture where a program looks for it, whole or cut off. */
function put(name: string, path: string, bytes?: number): string {
  mkdirSync(dirname(path), { recursive: true })
  copyFileSync(join(fixtures, name), path)
  if (bytes !== undefined) truncateSync(path, bytes)
  return path
}

const hashIn = (name: string): string =>
  /"(?:transaction_hash|hash)": ?"([0-9a-f]{64})"/.exec(readFileSync(join(fixtures, name), 'utf8'))?.[1] ?? ''

const packageIn = (name: string): string =>
  JSON.parse(readFileSync(join(fixtures, name), 'utf8')).feed_registry_package_hash

async function openClaim(path: string) {
  const { settings, packageHash } = await createGateChain()
  // The file's transaction calls a gate of another chain, so here it only seems to be executed.
  const node = createScriptedNode()
  const signer = await testSigner()
  const claim = {
    merkleRoot: 2n ** 250n,
    nullifier: 258n,
    proof: 'ab'.repeat(256),
    accountHash: signer.accountHash.replace('account-hash-', ''),
    gatePackageHash: packageHash,
  }
  const store = createPendingClaimFile(path, CHAIN_NAME)
  const changes = { rpc: rpcOf(node.answer), signer, chainName: CHAIN_NAME, store }
  return { node, run: () => submitClaim(claim, { ...settings, ...changes }) }
}

async function openRegistration(stateDir: string) {
  const chain = await createFeedsChain()
  // The file's transaction calls a package of another chain, so here it only seems to be executed.
  const node = createScriptedNode({ rest: chain.answer })
  const feedRegistryPackageHash = packageIn(registrationFile)
  const store = createRegistrationStore({ stateDir, chainName: CHAIN_NAME, feedRegistryPackageHash })
  const changes = { store, rpc: rpcOf(node.answer) }
  const registration = createRegistrationBench(chain, await testSigner()).open(changes)
  return { node, run: () => registerFeeds(registration, [createConfig()]) }
}

describe('what an earlier version left pending is followed to its end, with the same bytes', () => {
  test('default: the agent’s', async () => {
    using bench = await createOutboxBench()
    const path = put(attestFile, `${bench.stateDir}/pending/${attestFile}`)
    const file = JSON.parse(readFileSync(path, 'utf8'))
    const payloads: unknown[] = []
    const execute = (payload: unknown) => {
      payloads.push(payload)
      return null
    }
    const node = createScriptedNode({ execute })
    const rpc = rpcOf(node.answer)
    const packageHash = file.attestation_registry_package_hash
    const registry = createRegistry(rpc, 'AttestationRegistry', packageHash, bench.now)
    expect(await bench.open({ rpc, registry }).resume()).toMatchObject([
      {
        transactionHash: hashIn(attestFile),
        outcome: 'executed',
        attestedFeedIds: [0, 1].map((feed) => attestationOf(feed).feedId),
      },
    ])
    expect([payloads, existsSync(path)]).toEqual([[file.transaction.Version1.payload], false])
  })

  test('default: that of feeds register', async () => {
    using folder = createFolder()
    const name = registrationFile
    const path = put(name, `${folder.path}/${name}`)
    const { node, run } = await openRegistration(folder.path)
    expect(await run()).toMatchObject([{ state: 'executed', transaction_hash: hashIn(name) }])
    expect([node.executed, node.sent, existsSync(path)]).toEqual([[hashIn(name)], [hashIn(name)], false])
  })

  test('default: that of contracts install, in the deployment file', async () => {
    const name = 'deployment-casper-net-1.json'
    using bench = await createBench()
    const { signer } = await bench.open()
    // The file's transaction has other wasm, so here it only seems to be executed: this is what it seems to install.
    for (const contract of ['FeedRegistry', 'AttestationRegistry'] as const)
      await bench.chain.install(await builtContract(contract, signer.accountHash))
    const node = createScriptedNode()
    const answer: AnswerRpc = (method, params) =>
      (JSON.stringify(params ?? null).includes(hashIn(name)) ? node : bench.chain).answer(method, params)
    const { contracts } = JSON.parse(readFileSync(put(name, bench.path), 'utf8'))
    const { packageHash } = await bench.chain.packageOf('FeedRegistry')
    const text = readFileSync(bench.path, 'utf8')
    // What had been installed there is on another chain too.
    writeFileSync(bench.path, text.replaceAll(contracts.FeedRegistry.package_hash, packageHash))
    const [done, resumed] = await install(await bench.open({ rpc: rpcOf(answer) }))
    expect([done, resumed]).toMatchObject([
      { step: 'install FeedRegistry', state: 'done' },
      { step: 'install AttestationRegistry', state: 'executed', transaction_hash: hashIn(name) },
    ])
    expect(node.executed).toEqual([hashIn(name)])
    expect((await bench.chain.calls()).map(({ what }) => what)).toEqual([
      'install EligibilityGate',
      'FeedRegistry.set_eligibility_gate',
      'AttestationRegistry.set_feed_registry',
    ])
    expect((await bench.readFile())?.pending).toBeNull()
  })

  test('default: that of eligibility claim', async () => {
    using folder = createFolder()
    const path = put('proof.json.pending', `${folder.path}/proof.json.pending`)
    const { node, run } = await openClaim(path)
    expect(await run()).toMatchObject({
      state: 'executed',
      executed: { transactionHash: hashIn('proof.json.pending') },
    })
    expect([node.executed, existsSync(path)]).toEqual([[hashIn('proof.json.pending')], false])
  })
})

describe('one that was cut off is refused by name, and nothing is sent', () => {
  const lookUp = {
    code: 'pending_file',
    message: expect.stringMatching(/look up the transaction.*remove the file/),
  }

  test('error: the agent’s', async () => {
    using bench = await createOutboxBench()
    const path = put(attestFile, `${bench.stateDir}/pending/${attestFile}`, 300)
    expect(await errorOf(bench.open().resume())).toMatchObject({ ...lookUp, path })
    expect(bench.chain.sent).toEqual([])
  })

  test('error: that of feeds register', async () => {
    using folder = createFolder()
    const name = registrationFile
    const path = put(name, `${folder.path}/${name}`, 300)
    const { node, run } = await openRegistration(folder.path)
    expect(await errorOf(run())).toMatchObject({ ...lookUp, path })
    expect(node.sent).toEqual([])
  })

  test('error: that of contracts install, in the deployment file', async () => {
    using bench = await createBench()
    put('deployment-casper-net-1.json', bench.path, 300)
    const error = await errorOf(bench.open())
    expect(error).toMatchObject({ code: 'preflight', reason: 'deployment_file' })
    expect(error.message).toContain(bench.path)
  })

  test('error: that of eligibility claim', async () => {
    using folder = createFolder()
    const path = put('proof.json.pending', `${folder.path}/proof.json.pending`, 300)
    const { node, run } = await openClaim(path)
    expect(await errorOf(run())).toMatchObject({ ...lookUp, path })
    expect(node.sent).toEqual([])
  })
})
