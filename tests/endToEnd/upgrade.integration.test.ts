import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { balanceOf, listExecuted, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { Reading } from 'wattfeed'
import { contractNames } from '../../packages/wattfeed/src/registry/installation.ts'
import { wasmFolder } from '../../src/operator/contracts/wasmFile.ts'
import { createDevnetBench, type DevnetBench } from '../support/devnetBench.ts'
import { startWatchedNode } from '../support/devnetNode.ts'

/**
 * The delivered contracts, with one difference: AttestationRegistry has another name for `attest_many`. It stands for an
 * old version without batches.
 */
async function writeOldWasm(folder: Folder): Promise<void> {
  const sums: string[] = []
  for (const name of contractNames) {
    const delivered = await readFile(`${wasmFolder}${name}.wasm`, 'latin1')
    const wasm = Buffer.from(delivered.replaceAll('attest_many', 'attest_mere'), 'latin1')
    folder.write(`${name}.wasm`, wasm)
    sums.push(`${createHash('sha256').update(wasm).digest('hex')}  ${name}.wasm\n`)
  }
  folder.write('SHA256SUMS', sums.join(''))
}

/** Reads repeatedly until it is stopped; returns everything that differed from the first reading. */
function keepReading(read: () => Promise<readonly Reading[]>): {
  stop(): Promise<{ reads: number; wrong: unknown[] }>
} {
  let isOver = false
  const done = (async () => {
    const first = JSON.stringify(await read(), withBigInts)
    const wrong: unknown[] = []
    let reads = 0
    for (; !isOver; reads++) {
      const again = await read().then(
        (readings) => JSON.stringify(readings, withBigInts),
        (error) => error,
      )
      if (again !== first) wrong.push(again)
    }
    return { reads, wrong }
  })()
  return {
    stop() {
      isOver = true
      return done
    },
  }
}

const withBigInts = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)

/** The server's value of every feed: `period amount` by feed id. */
async function readServer(url: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/v1/feeds`)
  const { feeds } = (await response.json()) as { feeds: Reading[] }
  return Object.fromEntries(feeds.map(({ feed_id, period, amount }) => [feed_id, `${period} ${amount}`]))
}

/** Attests everything new, and checks chain, server, library and account against the agent's report. */
async function expectAttested(
  bench: DevnetBench,
  serverUrl: string,
  { decision, inBatches }: { decision: string; inBatches: boolean },
): Promise<void> {
  const { devnet, owner } = bench.chain
  const [height, balance] = [await tipHeight(devnet), await balanceOf(devnet, owner.signer.publicKey)]
  const { exitCode, lines, stderr } = await bench.attest()
  expect([exitCode, new Set(lines.map((line) => `${line.decision} ${line.error}`))]).toEqual([
    0,
    new Set([`${decision} null`]),
  ])
  const executed = await listExecuted(devnet, height)
  expect(executed.filter(({ errorMessage }) => errorMessage !== null)).toEqual([])
  if (inBatches) expect(executed.length).toBeLessThanOrEqual(12)
  else expect(executed.length).toBe(36)
  expect(new Set(lines.map(({ transaction_hash }) => transaction_hash))).toEqual(
    new Set(executed.map(({ transactionHash }) => transactionHash)),
  )
  const told = stderr
    .split('\n')
    .flatMap((line) => (line.includes('"msg":"attested"') ? [JSON.parse(line)] : []))
  const reported = told
    .map(({ charged_motes }) => BigInt(charged_motes))
    .reduce((sum, each) => sum + each, 0n)
  expect(await balanceOf(devnet, owner.signer.publicKey)).toBe(balance - reported)
  const values = Object.fromEntries(
    lines.map(({ feed_id, period, amount }) => [feed_id, `${period} ${amount}`]),
  )
  expect(await readServer(serverUrl)).toEqual(values)
  const readings = await bench.client().listReadings()
  expect(
    Object.fromEntries(readings.map(({ feed_id, period, amount }) => [feed_id, `${period} ${amount}`])),
  ).toEqual(values)
}

test('default: the agent attests 36 feeds one by one; after an upgrade in batches, and all data stays', async () => {
  using old = createFolder()
  await writeOldWasm(old)
  await using bench = await createDevnetBench({ wasm: old.path })
  const { devnet, deploymentPath, owner, user } = bench.chain
  await using server = await bench.serve()
  await expectAttested(bench, server.url, { decision: 'new-period', inBatches: false })
  const before = await bench.attested()

  const upgrade = async (args: readonly string[] = [], keyPath = owner.keyPath) => {
    const options = ['upgrade', '--json', '--file', deploymentPath, ...args]
    const { exitCode, stdout } = await bench.run('contracts', options, { ATTESTER_KEY_PATH: keyPath })
    const { steps, error } = JSON.parse(stdout)
    return [
      exitCode,
      steps?.map((each: { step: string; state: string }) => [each.step, each.state]) ?? error.code,
    ]
  }
  const height = await tipHeight(devnet)
  expect(await upgrade(['--dry-run'])).toEqual([
    0,
    [
      ['upgrade FeedRegistry', 'done'],
      ['upgrade EligibilityGate', 'done'],
      ['upgrade AttestationRegistry', 'planned'],
    ],
  ])
  expect((await upgrade([], user.keyPath))[0]).toBe(1)
  expect(await tipHeight(devnet)).toBe(height)
  const { listReadings } = bench.client()
  const reader = keepReading(listReadings)
  // The transaction is executed, but the operator's process is killed before it gets the answer.
  await using node = await startWatchedNode(devnet)
  const sent = node.stopAt({ method: 'account_put_transaction', when: 'after' })
  await using killed = bench.start('contracts', ['upgrade', '--file', deploymentPath], {
    CASPER_RPC_URL: node.url,
  })
  await killed.until(sent)
  await killed.kill()
  expect(await upgrade()).toEqual([
    0,
    [
      ['upgrade FeedRegistry', 'done'],
      ['upgrade EligibilityGate', 'done'],
      ['upgrade AttestationRegistry', 'executed'],
    ],
  ])
  const { reads, wrong } = await reader.stop()
  expect([reads > 1, wrong]).toEqual([true, []])
  expect((await listExecuted(devnet, height)).map(({ errorMessage }) => errorMessage)).toEqual([null])
  expect(await bench.attested()).toEqual(before)
  const status = JSON.parse((await bench.run('contracts', ['status', '--json'])).stdout)
  expect(status).toMatchObject({
    is_complete: true,
    contracts: [
      { versions: [{ is_enabled: true }], fields: { feed_count: 36 } },
      {
        versions: [
          { version: '2.1', is_enabled: false },
          { version: '2.2', is_enabled: true },
        ],
        fields: { total_attestations: 36 },
      },
      { versions: [{ is_enabled: true }] },
    ],
  })

  bench.revise()
  await expectAttested(bench, server.url, { decision: 'revision', inBatches: true })
  const after = await bench.attested()
  expect(after.length).toBe(72)
  expect(before.filter((each) => !after.includes(each))).toEqual([])
})
