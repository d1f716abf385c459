import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CountedNode, startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { createDevnet, type Devnet, installRegistries } from '../../src/devnet/index.ts'
import { runToEnd } from '../support/program.ts'
import { shownCommands, snippetsOf } from '../support/snippets.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const PAGE = 'docs/edge.md'
const FEED = 'EIA.PET.PRICE.WTI.DAILY'

const executablePath = await findProgram()
const hasWorkerd = executablePath !== null || process.env.REQUIRE_WORKERD === '1'
if (!hasWorkerd) console.warn('skipped: the edge worker, because workerd has no program for this platform')

/** The package finds the program for this platform in another package, which may be missing. */
async function findProgram(): Promise<string | null> {
  try {
    // @ts-expect-error: it has no types.
    return (await import('workerd')).default
  } catch {
    return null
  }
}

/** Starts workerd with the configuration from the documentation, on a free port. */
async function startWorkerd(folder: string, rpcUrl: string) {
  const [, serve] = shownCommands(PAGE).filter(({ words }) => words.some((word) => word.includes('worker')))
  const args = serve?.words.slice(serve.words.indexOf('workerd') + 1) ?? []
  const child = Bun.spawn(
    [executablePath ?? 'workerd', ...args, '--socket-addr=http=127.0.0.1:0', '--control-fd=1'],
    { cwd: folder, env: { CASPER_RPC_URL: rpcUrl }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const { value = '' } = await child.stdout.pipeThrough(new TextDecoderStream()).getReader().read()
  if (value === '') throw new Error(`workerd: ${await new Response(child.stderr).text()}`)
  const { port } = JSON.parse(value.split('\n', 1)[0] ?? '')
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

describe.skipIf(!hasWorkerd)('the worker of docs/edge.md, in workerd', () => {
  let home: Folder
  let folder = ''
  let devnet: Devnet
  let node: CountedNode
  /** A promise that delays the node's answers. */
  let gate: Promise<void> | null = null
  let reached = (): void => {}

  beforeAll(async () => {
    devnet = createDevnet()
    const registries = await installRegistries(devnet)
    await registries.registerFeed(FEED, { decimals: 2, unit: '$/bbl' })
    await registries.attest(FEED, { amount: 7004n, period: 20261120 })
    node = await startCountedNode(async (method, params) => {
      reached()
      await gate
      return devnet.call(method, params)
    })
    home = createFolder()
    folder = home.path
    const worker = snippetsOf(PAGE, 'ts').find((source) => source.includes('export default')) ?? ''
    const [config = ''] = snippetsOf(PAGE, 'text')
    await Bun.write(join(folder, 'worker.ts'), worker)
    await Bun.write(join(folder, 'config.capnp'), config)
    // This test's chain replaces the public test network.
    const library = join(root, 'packages/wattfeed/src/client/index.ts')
    const network = JSON.stringify({ chainName: devnet.chainName, ...registries })
    await Bun.write(
      join(folder, 'wattfeed.ts'),
      `import { createClient as create } from '${library}'
export * from '${library}'
export const createClient = (options) => create({ ...${network}, ...options })`,
    )
    const compilerOptions = { paths: { wattfeed: ['./wattfeed.ts'] } }
    await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const [build] = shownCommands(PAGE).filter(({ words }) => words[1] === 'build')
    const { exitCode, stderr } = await runToEnd(
      [process.execPath, ...(build?.words.slice(1) ?? [])],
      {},
      folder,
    )
    expect([exitCode, stderr]).toEqual([0, ''])
  })
  afterAll(async () => {
    await node.stop()
    await devnet.stop()
    home[Symbol.dispose]()
  })

  test('default: answers with a reading from a node, in eight calls', async () => {
    await using workerd = await startWorkerd(folder, node.url)
    node.calls.reset()
    const answer = await fetch(`${workerd.url}?id=${FEED}`)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=5'])
    expect(await answer.json()).toMatchObject({ feed_id: FEED, value: 70.04, amount: '7004' })
    expect(node.calls.total()).toBe(8)
  })

  test('behavior: a feed that does not exist is a 404, a node that does not exist a 502', async () => {
    await using workerd = await startWorkerd(folder, node.url)
    const missing = await fetch(`${workerd.url}?id=NOPE`)
    expect([missing.status, await missing.json()]).toEqual([404, { error: 'feed not found: NOPE' }])
    await using lost = await startWorkerd(folder, 'http://127.0.0.1:1/rpc')
    const failed = await fetch(`${lost.url}?id=${FEED}`)
    expect([failed.status, await failed.json()]).toEqual([502, { error: 'all_nodes_failed' }])
  })

  test('behavior: a client that disconnects does not affect waiting ones', async () => {
    await using workerd = await startWorkerd(folder, node.url)
    const { promise, resolve: open } = Promise.withResolvers<void>()
    gate = promise
    /** Sends a request. Returns once the node has received the call for it. */
    async function ask(signal?: AbortSignal) {
      const asked = new Promise<void>((resolve) => {
        reached = resolve
      })
      const answer = fetch(`${workerd.url}?id=${FEED}`, signal ? { signal } : {})
      await Promise.race([asked, answer.catch(() => {})])
      return { answer }
    }
    const leaving = new AbortController()
    const left = await ask(leaving.signal)
    const stays = await ask()
    leaving.abort()
    await expect(left.answer).rejects.toThrow('aborted')
    open()
    gate = null
    expect((await stays.answer).status).toBe(200)
  })
})
