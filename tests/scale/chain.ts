import { fileURLToPath } from 'node:url'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { type CountedNode, startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { createRandom } from '@wattfeed/testing/random'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { startChild } from '../support/child.ts'

/** An attestation, by its place in the chain's log. */
export interface Attested {
  feed_id: string
  amount: string
}

/** Options of the chain's process. */
export interface ChainOptions {
  seed: number
  feeds: number
  /** Number of its nodes, each with its own address. */
  nodes: number
}

/** Numbers of calls to all nodes: for roots, and for everything else. */
export interface Calls {
  roots: number
  others: number
}

type Command =
  | { name: 'attest' | 'calls' | 'log' | 'hold' | 'release' }
  /** Keeps a node some blocks behind the chain; null makes it up to date again. */
  | { name: 'lag'; node: number; blocks: number | null }

/** An embedded chain in a separate process, with the nodes of all servers. */
export interface ChainProcess extends AsyncDisposable {
  /** The settings of a server for each node. */
  settings: Record<string, string>[]
  /** Makes a block with one to three new values. Returns the number of values so far. */
  attest(): Promise<number>
  /** Stops a node at an older block, or lets it catch up. */
  lag(node: number, blocks: number | null): Promise<void>
  /** Makes all nodes hold back their answers with state roots until `release`. */
  hold(): Promise<void>
  release(): Promise<void>
  /** The calls so far. */
  calls(): Promise<Calls>
  /** All attestations so far. */
  log(): Promise<Attested[]>
}

const ROOT_METHOD = 'chain_get_state_root_hash'

/** Starts the chain in a separate process. */
export async function startChain(options: ChainOptions): Promise<ChainProcess> {
  const child = await startChild<Command>(fileURLToPath(import.meta.url), options)
  const { send, started } = child
  return {
    settings: started as ChainProcess['settings'],
    attest: async () => Number(await send({ name: 'attest' })),
    lag: async (node, blocks) => void (await send({ name: 'lag', node, blocks })),
    hold: async () => void (await send({ name: 'hold' })),
    release: async () => void (await send({ name: 'release' })),
    calls: async () => (await send({ name: 'calls' })) as Calls,
    log: async () => (await send({ name: 'log' })) as Attested[],
    [Symbol.asyncDispose]: child[Symbol.asyncDispose],
  }
}

async function run({ seed, feeds, nodes }: ChainOptions): Promise<void> {
  const random = createRandom(seed)
  const chain = await createRegistryChain({ feeds, startMs: Date.now() })
  const log = Array.from({ length: feeds }, (_, index) => attestedAt(chain.readings()[index]))
  const roots = [chain.stateRootHash()]
  const nodeAnswers: AnswerRpc[] = Array.from({ length: nodes }, () => chain.answer)
  const endpoints: CountedNode[] = []
  let held = { promise: Promise.resolve(), resolve: () => {} }
  for (const [index] of nodeAnswers.entries())
    endpoints.push(
      await startCountedNode(async (method, params) => {
        if (method === ROOT_METHOD) await held.promise
        return (nodeAnswers[index] ?? chain.answer)(method, params)
      }),
    )

  async function attest(): Promise<number> {
    for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
      const feedId = testFeedId(Math.floor(random() * feeds))
      const amount = BigInt(log.length) * 1_000_003n
      chain.attest(feedId, { amount })
      log.push({ feed_id: feedId, amount: String(amount) })
    }
    roots.push(await chain.advance())
    return log.length
  }

  function lag(node: number, blocks: number | null): void {
    const root = blocks === null ? undefined : roots.at(-1 - blocks)
    nodeAnswers[node] = root === undefined ? chain.answer : chain.answerAsOf(root)
  }

  function calls(): Calls {
    const counts = endpoints.flatMap((node) => Object.entries(node.calls.byMethod()))
    const sum = (isRoot: boolean) =>
      counts.reduce(
        (total, [method, count]) => ((method === ROOT_METHOD) === isRoot ? total + count : total),
        0,
      )
    return { roots: sum(true), others: sum(false) }
  }

  async function execute(command: Command): Promise<unknown> {
    switch (command.name) {
      case 'attest':
        return attest()
      case 'lag':
        return lag(command.node, command.blocks)
      case 'hold':
        held = Promise.withResolvers<void>()
        return null
      case 'release':
        return held.resolve()
      case 'calls':
        return calls()
      case 'log':
        return log
    }
  }

  // One after another, because the answers are matched by their order.
  let last: Promise<unknown> = Promise.resolve()
  process.on('message', (command: Command) => {
    last = last.then(async () => process.send?.((await execute(command)) ?? null))
  })
  process.on('disconnect', () => process.exit())
  process.send?.(
    endpoints.map(({ url }) => ({
      CASPER_RPC_URL: url,
      CASPER_CHAIN_NAME: chain.chainName,
      FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
    })),
  )
}

const attestedAt = (reading: { feed_id: string; amount: bigint } | undefined): Attested => ({
  feed_id: reading?.feed_id ?? '',
  amount: String(reading?.amount),
})

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}'))
