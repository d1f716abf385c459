import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { canonicalCall, type Exchange } from '@wattfeed/casper-devnet/testing/exchange'
import {
  type RecordedNode,
  readExchanges,
  readRecordedChain,
  startRecordedNode,
} from '@wattfeed/casper-devnet/testing/recordedNode'
import { createFolder } from '@wattfeed/testing/folder'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import type { Client } from '../../packages/wattfeed/src/client/createClient.ts'
import { recordChain } from '../../scripts/recordChain.ts'

const script = fileURLToPath(new URL('../../scripts/recordChain.ts', import.meta.url))

let node: RecordedNode
let exchanges: Exchange[]
beforeAll(async () => {
  node = await startRecordedNode()
  exchanges = await recordChain({ ...node, rpcUrl: node.url })
})
afterAll(() => node.stop())

/** All data that a client can read. */
async function readAll(client: Client): Promise<unknown> {
  const ids = await client.listFeedIds()
  return {
    ids,
    readings: await client.listReadings(),
    total: await client.totalAttestations(),
    attester: await client.getFirstPartyAttester(),
    claimants: await Promise.all(ids.map((id) => client.getClaimant(id))),
    histories: await Promise.all(ids.map((id) => client.getValueHistory(id))),
    absent: await client.getReading('ABSENT.FEED.DAILY'),
    unregistered: await client.getValue('UNREGISTERED.VALUE.DAILY'),
  }
}

describe('recordChain', () => {
  test('default: a replay of a recording gives the same readings', async () => {
    await using replay = await startRecordedNode(exchanges)
    const original = await readAll(clientOf(node, [node.url]))
    expect(await readAll(clientOf(replay, [replay.url]))).toEqual(original)
  })

  test('behavior: it records everything that the repository’s recordings hold', () => {
    const calls = new Map(
      exchanges.map((each) => [canonicalCall(each.method, each.params, node.stateRootHash), each]),
    )
    const recorded = readRecordedChain().filter((each) => each.note !== undefined && 'result' in each)
    for (const each of recorded) {
      const again = calls.get(canonicalCall(each.method, each.params, node.stateRootHash))
      expect(again).toMatchObject({ status: 200, result: 'result' in each ? each.result : undefined })
    }
  })

  test('behavior: of a repeated call, the better answer is recorded', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    let failures = 3
    await using flaky = await startCountedNode((method, params) =>
      method === 'state_get_dictionary_item' && failures-- > 0
        ? { error: { code: -32603, message: 'Internal error' } }
        : chain.answer(method, params),
    )
    const again = await recordChain({ ...chain, rpcUrl: flaky.url })
    await using replay = await startRecordedNode(again)
    const client = clientOf(chain, [replay.url])
    expect(await client.listReadings()).toEqual(chain.readings())
    expect(await client.getValueHistory(testFeedId(1))).toHaveLength(1)
  })
})

describe('scripts/recordChain.ts', () => {
  test('default: writes a recording', async () => {
    using folder = createFolder()
    const out = join(folder.path, 'chain.jsonl')
    const run = Bun.spawn([
      process.execPath,
      script,
      ...['--rpc', node.url, '--out', out],
      ...['--feed-registry', node.feedRegistryPackageHash.replace('hash-', '')],
      ...['--attestation-registry', node.attestationRegistryPackageHash],
    ])
    expect(await run.exited).toBe(0)
    expect(readExchanges(out).length).toBe(exchanges.length)
  })

  test('error: reports the failure in one line', async () => {
    const hash = '0'.repeat(64)
    const run = Bun.spawn(
      [
        process.execPath,
        script,
        ...['--rpc', node.url, '--out', '/dev/null'],
        ...['--feed-registry', hash, '--attestation-registry', node.attestationRegistryPackageHash],
      ],
      { stderr: 'pipe' },
    )
    expect(await run.exited).toBe(1)
    expect(await new Response(run.stderr).text()).toMatch(/^[^\n]*FeedRegistry[^\n]*\n$/)
  })
})
