import { expect, test } from 'bun:test'
import type { Devnet } from '@wattfeed/casper-devnet'
import { callRpc } from '@wattfeed/casper-devnet/testing/callRpc'
import { listExecuted, tipHash, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { defaultProtocol } from '@wattfeed/casper-devnet/testing/internals'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { createDevnetBench, type DevnetBench, dailyFeeds } from '../support/devnetBench.ts'
import { SEED } from '../support/devnetChain.ts'
import { startWatchedNode } from '../support/devnetNode.ts'
import type { RunningProgram } from '../support/program.ts'

/** A chain in a process of its own, and what it says of itself. */
interface ChainProcess extends RunningProgram {
  url: string
  trustedBlockHash: string
  node: Pick<Devnet, 'call'>
}

async function startChain(bench: DevnetBench, directory: string, port = '0'): Promise<ChainProcess> {
  const kept = ['--seed', SEED, '--accounts', '2', '--data', directory, '--protocol', defaultProtocol]
  const program = bench.start('devnet', [...kept, '--port', port, '--json'])
  const { rpc_url: url, trusted_block_hash } = JSON.parse(await program.line('rpc_url'))
  const call: Devnet['call'] = async (method, params) => {
    const { result, error } = Object(await callRpc(url, method, params))
    return error === undefined ? { result } : { error }
  }
  return { ...program, url, trustedBlockHash: trusted_block_hash, node: { call } }
}

test('behavior: a chain that is killed together with its agent loses nothing, and all continues', async () => {
  using folder = createFolder()
  const directory = `${folder.path}/data`
  await using bench = await createDevnetBench({ feeds: dailyFeeds, directory })
  const [{ secretKeyPem } = { secretKeyPem: '' }] = bench.chain.devnet.accounts
  await bench.chain[Symbol.asyncDispose]()
  await using first = await startChain(bench, directory)
  const settings = {
    CASPER_RPC_URL: first.url,
    ATTESTER_KEY_PATH: folder.write('secret_key.pem', secretKeyPem),
  }
  await using server = await bench.serve(settings)
  const client = bench.client({ rpcUrls: [first.url] })
  const paths = [...dailyFeeds.map(({ feed_id }) => feed_id), 'ABSENT']
  const readServer = () =>
    Promise.all(
      paths.map(async (path) => {
        const response = await fetch(`${server.url}/v1/feeds/${path}`)
        const { value = null } = Object(await response.json())
        return [response.status, value]
      }),
    )
  bench.publish('61.25', '2027-01-01')
  expect((await bench.attest(settings)).exitCode).toBe(0)
  const shown = dailyFeeds.map(() => [200, 61.25])
  expect(await readServer()).toEqual([...shown, [404, null]])
  const [before, height] = [await bench.attested(client), await tipHeight(first.node)]

  // The chain has answered the newest transaction, but the agent has not received the answer.
  bench.publish('62.5', '2027-01-02')
  await using between = await startWatchedNode(first.node)
  const answered = between.stopAt({ method: 'account_put_transaction', nth: 2, when: 'after' })
  await using agent = bench.start('agent', ['--once'], { ...settings, CASPER_RPC_URL: between.url })
  await agent.until(answered)
  const tip = await tipHash(first.node)
  await Promise.all([agent.kill(), first.kill()])
  const [statuses, error] = await Promise.all([readServer(), errorOf(client.listReadings())])
  expect([statuses, error.retryable]).toEqual([paths.map(() => [502, null]), true])

  await using second = await startChain(bench, directory, new URL(first.url).port)
  expect([second.url, second.trustedBlockHash, await tipHash(second.node)]).toEqual([
    first.url,
    first.trustedBlockHash,
    tip,
  ])
  const { exitCode, lines } = await bench.attest(settings)
  expect([exitCode, lines.map(({ decision }) => decision)]).toEqual([0, dailyFeeds.map(() => 'unchanged')])
  const after = (await bench.attested(client)).filter((each) => !before.includes(each))
  expect(after.map((each) => each.split(' ').slice(0, 2))).toEqual(
    dailyFeeds.map(({ feed_id }) => [feed_id, '20270102']),
  )
  const executed = await listExecuted(second.node, height)
  expect(executed.map(({ errorMessage }) => errorMessage)).toEqual([null, null])
  expect(bench.pending()).toEqual([])
  expect(await readServer()).toEqual([...dailyFeeds.map(() => [200, 62.5]), [404, null]])
})
