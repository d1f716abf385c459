import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Program, runToEnd, startProgram } from './program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder = ''
let server: Program

const binary = () => join(folder, 'wattfeed')
const empty = () => join(folder, 'empty')
const get = (path: string) => fetch(`${server.url}${path}`)

// The self-contained binary, started where nothing of the repository is at hand.
describe('the binary', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'wattfeed-binary-'))
    mkdirSync(empty())
    const build = await runToEnd(
      [process.execPath, 'build', '--compile', 'src/index.ts', '--outfile', binary()],
      { HOME: folder },
      root,
    )
    if (build.exitCode !== 0) throw new Error(build.stderr)
    server = await startProgram([binary()], { CASPER_RPC_URL: 'http://127.0.0.1:1/rpc' }, empty())
  }, 60_000)

  afterAll(() => {
    server?.kill()
    rmSync(folder, { recursive: true })
  })

  test('default: says where it listens', () => {
    expect(server.line).toMatch(/^wattfeed listens on http:\/\/localhost:[1-9]\d*$/)
  })

  test('default: is healthy, with the catalog inside', async () => {
    expect(await (await get('/health')).json()).toEqual({ status: 'ok', service: 'wattfeed', datasets: 232 })
    expect((await (await get('/v1/datasets')).json()).total).toBe(232)
  })

  test('default: documentation, with the script and the style inside', async () => {
    expect((await (await get('/openapi/json')).json()).info.title).toBe('wattfeed')
    expect(await (await get('/openapi/swagger-ui-bundle.js')).text()).toContain('SwaggerUIBundle')
    expect(await (await get('/openapi/swagger-ui.css')).text()).toContain('.swagger-ui')
  })

  test('default: its own health command tells a server that answers from one that does not', async () => {
    const { port } = new URL(server.url)
    const codes = await Promise.all(
      [port, '1'].map(async (PORT) => (await runToEnd([binary(), 'health'], { PORT }, empty())).exitCode),
    )
    expect(codes).toEqual([0, 1])
  })

  test('default: ends with exit code 0 on SIGTERM', async () => {
    expect((await server.stop('SIGTERM')).exitCode).toBe(0)
  })
})
