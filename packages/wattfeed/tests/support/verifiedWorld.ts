import type { BlockJson } from '@wattfeed/casper/testing/signedChain'
import type { AnswerRpc, Protocol } from '@wattfeed/casper-devnet'
import type { Faults } from '@wattfeed/casper-devnet/testing/chainFaults/faults'
import {
  type FaultyEndpoint,
  nodeOf,
  startNodeWithFaults,
} from '@wattfeed/casper-devnet/testing/chainFaults/nodeWithFaults'
import { defaultProtocol } from '@wattfeed/casper-devnet/testing/internals'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import type { RpcRejection } from 'wattfeed'
import { clientOf } from 'wattfeed/testing/clientOf'
import type { ClientOptions } from '../../src/client/clientOptions.ts'
import type { Client } from '../../src/client/createClient.ts'
import { createRulesChain, type RulesChain } from './rulesChain.ts'
import { type Booted, BRENT, bootRegistries, type World, WTI, worldOn } from './world.ts'

/** One node of the chain, over HTTP. */
export interface WorldNode {
  url: string
  faults: Faults
}

/** A client, and the answers that it rejected. */
export interface WorldClient extends Client {
  /** `host code` of each rejected answer; the hosts are `node0`, `node1`, … */
  rejected(): string[]
}

/** Both registries with two feeds, on an embedded chain some eras old, whose nodes serve HTTP. */
export interface VerifiedWorld extends AsyncDisposable {
  world: World
  /** Hash of the first block, which ends era 0. */
  genesisHash: string
  nodes: readonly WorldNode[]
  /** Creates a client of the nodes with these numbers, which trusts the first block. */
  client(nodes: readonly number[], options?: ClientOptions): WorldClient
  /** The client's settings for the registries, without nodes. */
  network: Required<
    Pick<ClientOptions, 'chainName' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash'>
  >
  /** Serves another node with custom answers. Returns its URL. */
  serve(call: AnswerRpc): Promise<string>
  /** The `block_with_signatures` of a node at a height. */
  blockAt(height: number): Promise<BlockJson>
  /** Makes blocks until this number of eras has ended, without any transactions. */
  endEras(count: number): void
}

export interface VerifiedWorldOptions {
  /** Number of nodes. @default 3 */
  nodes?: number
  /** Time of the first block, in epoch milliseconds. @default now, or some seconds ago */
  startMs?: number
  /** Number of eras before the first read. @default 2 */
  eras?: number
  /** @default 3 */
  validators?: number
  /** @default that of all tests */
  protocol?: Protocol
}

const BLOCKS_PER_ERA = 20
/** How long worlds without their own start time share one. */
const SHARED_MS = 10_000

const bootOnce = createBootOnce<Booted>()

type BootOptions = Required<Omit<VerifiedWorldOptions, 'nodes'>>

async function bootWorld({ eras, ...options }: BootOptions): Promise<Booted> {
  const booted = await bootRegistries(await createRulesChain({ seed: 'verified', ...options }))
  const { owner, register, attest } = worldOn(booted.chain, booted.packages)
  for (const refused of [
    await register(owner, WTI),
    await register(owner, BRENT),
    await attest(owner, WTI, 59_910_000n),
    await attest(owner, BRENT, 63_370_000n),
  ])
    if (refused !== null) throw new Error(refused)
  endErasOf(booted.chain, eras)
  return booted
}

function endErasOf({ devnet }: Pick<RulesChain, 'devnet'>, eras: number): void {
  for (let block = 0; block < eras * BLOCKS_PER_ERA; block++) devnet.produceBlock()
}

export async function createVerifiedWorld(options: VerifiedWorldOptions = {}): Promise<VerifiedWorld> {
  const {
    nodes: count = 3,
    startMs = Date.now() - (Date.now() % SHARED_MS),
    eras = 2,
    validators = 3,
    protocol = defaultProtocol,
  } = options
  const { chain, packages } = await bootOnce(`${startMs} ${eras} ${validators} ${protocol}`, () =>
    bootWorld({ startMs, eras, validators, protocol }),
  )
  const world = worldOn(chain.fork(), packages)
  const { devnet } = world
  const endpoints: FaultyEndpoint[] = []
  const serve = async (call: AnswerRpc): Promise<string> => {
    const endpoint = await startNodeWithFaults({ call: async (...request) => call(...request) })
    endpoints.push(endpoint)
    return endpoint.url
  }
  const nodes: WorldNode[] = []
  for (let index = 0; index < count; index++) {
    const node = nodeOf(devnet)
    nodes.push({ url: await serve(node.call), faults: node.faults })
  }
  const network = {
    chainName: devnet.chainName,
    feedRegistryPackageHash: packages.FeedRegistry,
    attestationRegistryPackageHash: packages.AttestationRegistry,
  }
  const hostOf = (host: string): string => `node${nodes.findIndex(({ url }) => new URL(url).host === host)}`
  return {
    world,
    genesisHash: devnet.genesisHash,
    nodes,
    network,
    serve,
    async blockAt(height) {
      const answered = await devnet.call('chain_get_block', { block_identifier: { Height: height } })
      return Object('result' in answered ? answered.result : null).block_with_signatures
    },
    endEras: (ended) => endErasOf(world, ended),
    client(numbers, changes = {}) {
      const rejections: RpcRejection[] = []
      const rpcUrls = numbers.flatMap((number) => nodes[number]?.url ?? [])
      const client = clientOf(network, rpcUrls, {
        verify: 'full',
        trustedBlockHash: devnet.genesisHash,
        observe: { rejected: (rejection) => rejections.push(rejection) },
        ...changes,
      })
      return {
        ...client,
        rejected: () => rejections.map(({ host, errorCode }) => `${hostOf(host)} ${errorCode}`),
      }
    },
    async [Symbol.asyncDispose]() {
      for (const endpoint of endpoints) await endpoint.stop()
      await world[Symbol.asyncDispose]()
    },
  }
}
