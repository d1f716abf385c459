import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { installedPackages, MARK, makeHostileFolder } from './hostileFolder.ts'
import { type Program, runToEnd, startProgram } from './program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder = ''
let server: Program

const binary = () => join(folder, 'wattfeed')
const hostile = () => join(folder, 'hostile')
const get = (path: string) => fetch(`${server.url}${path}`)

// As `bun run build` makes it, but for the place.
const buildCommand = () =>
  manifest.scripts.build
    .split(' ')
    .map((word) => (word === 'bun' ? process.execPath : word === 'dist/wattfeed' ? binary() : word))

// The self-contained binary, started where nothing of the repository is at hand, and all that is wants to take part.
describe('the binary', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'wattfeed-binary-'))
    makeHostileFolder(hostile(), installedPackages(root))
    const build = await runToEnd(buildCommand(), { HOME: folder }, root)
    if (build.exitCode !== 0) throw new Error(build.stderr)
    const settings = { CASPER_RPC_URL: 'http://127.0.0.1:1/rpc', HOME: hostile() }
    server = await startProgram([binary()], settings, hostile())
  }, 300_000)

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
      [port, '1'].map(async (PORT) => (await runToEnd([binary(), 'health'], { PORT }, hostile())).exitCode),
    )
    expect(codes).toEqual([0, 1])
  })

  test('default: ends with exit code 0 on SIGTERM, having logged', async () => {
    const { exitCode, stderr } = await server.stop('SIGTERM')
    expect({ exitCode, isLogged: stderr.includes('"path":"/health"') }).toEqual({
      exitCode: 0,
      isLogged: true,
    })
  })

  // The last test: whatever may be loaded late was loaded by then.
  test('behavior: runs nothing of the folder that it is started in, and reads no settings there', async () => {
    const env = { PATH: process.env.PATH ?? '' }
    const unset = Bun.spawn([binary(), 'health'], { cwd: hostile(), env, stderr: 'pipe' })
    expect(await new Response(unset.stderr).text()).not.toMatch(/PORT|HOST|VERIFY/)
    expect(existsSync(join(hostile(), MARK))).toBe(false)
  })
})
