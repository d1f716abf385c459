import { describe, expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createMemoryStore } from '@wattfeed/casper/testing/memoryStore'
import { balanceOf, listExecuted, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import recorded from '../../src/demo/claim.json' with { type: 'json' }
import { feedMetadata } from '../../src/feeds/file/feedConfig.ts'
import { submitRoot } from '../../src/operator/eligibility/ownerCalls.ts'
import { describeProver } from '../operator/eligibility/describeProver.ts'
import { createDevnetBench, type DevnetBench, dailyFeeds } from '../support/devnetBench.ts'
import { startWatchedNode } from '../support/devnetNode.ts'
import type { ProgramName } from '../support/devnetPrograms.ts'
import type { Ended } from '../support/program.ts'

/** Runs a program with `--json`. */
async function runJson(bench: DevnetBench, name: ProgramName, args: readonly string[], keyPath?: string) {
  const ended: Ended = await bench.run(
    name,
    [...args, '--json'],
    keyPath === undefined ? {} : { ATTESTER_KEY_PATH: keyPath },
  )
  return { ...ended, json: JSON.parse(ended.stdout) }
}

const gateOf = ({ chain }: DevnetBench): string => `hash-${chain.packageHashes.EligibilityGate}`

/** The states of the feeds in a report, with the number of feeds in each. */
function countStates({ json }: Awaited<ReturnType<typeof runJson>>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { state } of json.feeds) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

describeProver('with a proof that is made on the way', () => {
  test.concurrent('default: from an identity to registered feeds, and back', async () => {
    await using bench = await createDevnetBench({ isRegistered: false })
    const { devnet, owner } = bench.chain
    const { signer } = owner
    const gate = ['--gate', gateOf(bench)]
    const identity = await runJson(bench, 'eligibility', ['identity', 'identity.json'])
    const group = await runJson(bench, 'eligibility', ['group', 'group.json', identity.json.public_key])
    const files = ['--identity', 'identity.json', '--group', 'group.json', '--out', 'proof.json']
    const account = ['--account', signer.publicKey]
    const prove = runJson(bench, 'eligibility', ['prove', ...files, ...account, ...gate])
    const set = await runJson(bench, 'eligibility', ['set-root', 'group.json', ...gate])
    expect([set.exitCode, set.json.state, set.json.root]).toEqual([0, 'executed', group.json.root])
    expect((await prove).exitCode).toBe(0)
    const claimed = await runJson(bench, 'eligibility', ['claim', 'proof.json'])
    expect([claimed.exitCode, claimed.json.state, claimed.json.account]).toEqual([
      0,
      'executed',
      signer.accountHash,
    ])
    const registered = await runJson(bench, 'feeds', ['register', '--all'])
    expect([registered.exitCode, countStates(registered)]).toEqual([0, { executed: 36 }])
    const list = await runJson(bench, 'feeds', ['list'])
    expect([list.exitCode, list.json.feeds.length]).toEqual([0, 36])
    const revoked = await runJson(bench, 'eligibility', ['revoke', signer.publicKey, ...gate])
    const removed = await runJson(bench, 'eligibility', ['remove-root', group.json.root, ...gate])
    expect([revoked, removed].map(({ exitCode, json }) => [exitCode, json.state])).toEqual([
      [0, 'executed'],
      [0, 'executed'],
    ])
    expect((await listExecuted(devnet, 0)).filter(({ errorMessage }) => errorMessage !== null)).toEqual([])
  })
})

describe('with a recorded proof', () => {
  /** A chain and a proof in a file. The chain's gate accepts the proof's group, or does not have it yet. */
  async function createClaimBench({ isRootSet }: { isRootSet: boolean }): Promise<DevnetBench> {
    const bench = await createDevnetBench({ feeds: dailyFeeds, isRegistered: false })
    const claim = fileURLToPath(new URL('../../src/demo/claim.json', import.meta.url))
    copyFileSync(claim, `${bench.folder.path}/proof.json`)
    if (isRootSet) await setRoot(bench)
    return bench
  }

  async function setRoot({ chain }: DevnetBench): Promise<void> {
    const { rpc, owner, devnet, packageHashes } = chain
    const { signer } = owner
    const gatePackageHash = packageHashes.EligibilityGate
    await submitRoot(BigInt(recorded.merkle_root), {
      rpc,
      signer,
      chainName: devnet.chainName,
      gatePackageHash,
      store: createMemoryStore(),
    })
  }

  test.concurrent('error: a transaction that would fail is not sent, and costs nothing', async () => {
    await using bench = await createClaimBench({ isRootSet: false })
    const { devnet, user } = bench.chain
    const { keyPath: stranger } = user
    const before = await tipHeight(devnet)
    const early = await runJson(bench, 'eligibility', ['claim', 'proof.json'])
    const foreign = await runJson(bench, 'eligibility', ['claim', 'proof.json'], stranger)
    const notOwner = await runJson(
      bench,
      'eligibility',
      ['revoke', bench.chain.owner.signer.publicKey, '--gate', gateOf(bench)],
      stranger,
    )
    const unclaimed = await runJson(bench, 'feeds', ['register', '--all'])
    expect(
      [early, foreign, notOwner].map(({ exitCode, json }) => [exitCode, json.error.code, json.error.message]),
    ).toEqual([
      [1, 'claim', expect.stringContaining('has not set the root')],
      [1, 'claim', expect.stringContaining(`the proof is for ${recorded.message}`)],
      [1, 'preflight', expect.stringContaining('the gate belongs to')],
    ])
    expect([unclaimed.exitCode, countStates(unclaimed)]).toEqual([1, { refused: dailyFeeds.length }])
    expect(await tipHeight(devnet)).toBe(before)
  })

  test.concurrent('behavior: killed after it was sent, the claim is followed, and not sent twice', async () => {
    await using bench = await createClaimBench({ isRootSet: true })
    const { devnet, owner } = bench.chain
    const { signer } = owner
    const [height, balance] = [await tipHeight(devnet), await balanceOf(devnet, signer.publicKey)]
    const planned = await runJson(bench, 'eligibility', ['claim', 'proof.json', '--dry-run'])
    expect([planned.exitCode, planned.json.state]).toEqual([0, 'planned'])
    await using node = await startWatchedNode(devnet)
    const sent = node.stopAt({ method: 'account_put_transaction', when: 'after' })
    await using first = bench.start('eligibility', ['claim', 'proof.json'], { CASPER_RPC_URL: node.url })
    await first.until(sent)
    await first.kill()
    const pending = await runJson(bench, 'eligibility', ['claim', 'proof.json', '--dry-run'])
    const claimed = await runJson(bench, 'eligibility', ['claim', 'proof.json'])
    const again = await runJson(bench, 'eligibility', ['claim', 'proof.json'])
    expect([pending, claimed, again].map(({ exitCode, json }) => [exitCode, json.state])).toEqual([
      [0, 'pending'],
      [0, 'executed'],
      [0, 'eligible'],
    ])
    const executed = await listExecuted(devnet, height)
    expect(executed.map(({ transactionHash, errorMessage }) => errorMessage ?? transactionHash)).toEqual([
      pending.json.transaction_hash,
    ])
    expect(await balanceOf(devnet, signer.publicKey)).toBe(balance - BigInt(claimed.json.charged_motes))
  })
})

describe('registered feeds', () => {
  test.concurrent('default: list, claimant, attest and history tell of them; a stranger changes nothing', async () => {
    await using bench = await createDevnetBench({ feeds: dailyFeeds })
    const { devnet, owner, user } = bench.chain
    const { signer } = owner
    const [feed] = dailyFeeds
    if (feed === undefined) throw new Error('there are daily feeds')
    const { feed_id } = feed
    const attested = await runJson(bench, 'feeds', ['attest', feed_id])
    const [executed] = (await listExecuted(devnet, await tipHeight(devnet).then((tip) => tip - 1))).values()
    expect([attested.exitCode, attested.json]).toMatchObject([
      0,
      {
        decision: 'new-period',
        transaction_hash: executed?.transactionHash,
        charged_motes: `${executed?.chargedMotes}`,
        error: null,
      },
    ])
    const { period, amount, source_hash } = attested.json
    const list = await runJson(bench, 'feeds', ['list'])
    expect([list.exitCode, list.json.feeds.length]).toEqual([0, dailyFeeds.length])
    const history = await runJson(bench, 'feeds', ['history', feed_id])
    expect([history.exitCode, history.json]).toMatchObject([
      0,
      { count: 1, values: [{ index: 0, period, amount, source_hash, attester: signer.accountHash }] },
    ])
    const claimant = await runJson(bench, 'feeds', ['claimant', feed_id])
    expect([claimant.exitCode, claimant.json.claimant]).toEqual([0, signer.accountHash])

    const { keyPath: stranger } = user
    const height = await tipHeight(devnet)
    bench.folder.write('feeds.json', JSON.stringify([{ ...feed, title: 'Mine now' }]))
    const register = await runJson(bench, 'feeds', ['register', feed_id], stranger)
    expect([register.exitCode, countStates(register)]).toEqual([1, { refused: 1 }])
    bench.publish('61.25', '2026-11-20')
    const attest = await runJson(bench, 'feeds', ['attest', feed_id], stranger)
    expect([attest.exitCode, attest.json.error.code]).toEqual([1, 'feed_claimed'])
    expect(await tipHeight(devnet)).toBe(height)
    expect(await bench.client().getFeed(feed_id)).toEqual(feedMetadata(feed))
  })
})
