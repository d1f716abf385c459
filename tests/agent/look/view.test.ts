import { expect, test } from 'bun:test'
import { createDevnet } from '@wattfeed/casper-devnet'
import { type NodeWithFaults, nodeOf } from '@wattfeed/casper-devnet/testing/chainFaults/nodeWithFaults'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { patience } from '@wattfeed/testing/patience'
import { connectToBlocks } from '../../../src/agent/look/view.ts'
import type { SettledBlock } from '../../../src/agent/state/settledBlocks.ts'

const levels = ['off', 'full'] as const

/** A chain of twenty blocks with three nodes, and a feed whose last transaction block 15 settled. */
async function createBench(verify: (typeof levels)[number]) {
  const devnet = createDevnet({ seed: 'view', blockTimeMs: 'manual' })
  const nodes: Readonly<Record<string, NodeWithFaults>> = {
    a: nodeOf(devnet),
    b: nodeOf(devnet),
    c: nodeOf(devnet),
  }
  for (let height = 1; height <= 20; height++) devnet.produceBlock()
  const asked: string[] = []
  const { openView } = connectToBlocks({
    chainName: devnet.chainName,
    feedRegistryPackageHash: '11'.repeat(32),
    attestationRegistryPackageHash: '22'.repeat(32),
    rpcUrls: ['http://a/rpc', 'http://b/rpc', 'http://c/rpc'],
    verify,
    ...(verify === 'full' ? { trustedBlockHash: devnet.genesisHash } : {}),
    fetch: (url, init) => {
      const { host } = new URL(url)
      const node = nodes[host]
      if (node === undefined) throw new Error(`no node at ${url}`)
      return localFetch((method, params) => {
        const isNewest = JSON.stringify(params ?? {}) === '{}'
        if (method === 'chain_get_block' && isNewest) asked.push(host)
        return node.call(method, params)
      })(url, init)
    },
    ...patience,
  })
  const settled = new Map<string, SettledBlock>([
    ['EIA.A', { height: 15, expiresAt: Number.POSITIVE_INFINITY }],
    ['EIA.B', { height: 2, expiresAt: Number.POSITIVE_INFINITY }],
  ])
  const open = async () => {
    asked.length = 0
    const view = await openView(() => settled)
    return { height: view.block.height, asked: [...asked] }
  }
  return { devnet, nodes, open, [Symbol.asyncDispose]: () => devnet[Symbol.asyncDispose]() }
}

test.each(levels)(
  'behavior: %s: the protocol version is that of the block, whatever the status of the node says',
  async (verify) => {
    await using devnet = createDevnet({ seed: 'view', blockTimeMs: 'manual', protocol: '2.0.3' })
    const versions: string[] = []
    const { client, openView } = connectToBlocks({
      chainName: devnet.chainName,
      feedRegistryPackageHash: '11'.repeat(32),
      attestationRegistryPackageHash: '22'.repeat(32),
      rpcUrls: ['http://a/rpc'],
      verify,
      ...(verify === 'full' ? { trustedBlockHash: devnet.genesisHash } : {}),
      fetch: localFetch((method, params) =>
        method === 'info_get_status'
          ? { result: { chainspec_name: devnet.chainName, protocol_version: '9.9.9' } }
          : devnet.call(method, params),
      ),
      observe: { protocolVersion: (version) => versions.push(version) },
      ...patience,
    })
    for (const _ of [1, 2]) await openView(() => new Map())
    expect([client.status().protocolVersion, versions]).toEqual(['2.0.0', ['2.0.0']])
  },
)

test.each(levels)(
  'behavior: %s: a node behind a settled transaction is left for one that is not',
  async (verify) => {
    await using bench = await createBench(verify)
    bench.nodes.a?.faults.lag(10)
    bench.nodes.b?.faults.lag(8)
    expect(await bench.open()).toEqual({ height: 20, asked: ['a', 'b', 'c'] })
    // The fresh node stays the preferred one.
    expect(await bench.open()).toEqual({ height: 20, asked: ['c'] })
  },
)

test.each(levels)(
  'behavior: %s: if all nodes are behind, the view is the newest of theirs',
  async (verify) => {
    await using bench = await createBench(verify)
    bench.nodes.a?.faults.lag(10)
    bench.nodes.b?.faults.lag(8)
    bench.nodes.c?.faults.lag(9)
    expect(await bench.open()).toEqual({ height: 12, asked: ['a', 'b', 'c'] })
  },
)

test('behavior: a node that lags by less is asked as usual', async () => {
  await using bench = await createBench('off')
  bench.nodes.a?.faults.lag(5)
  expect(await bench.open()).toEqual({ height: 15, asked: ['a'] })
})
