import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Daemon, startDaemon } from '../../support/daemon.ts'
import { findProgram } from '../../support/installed.ts'

/** The repository's root. */
const root = join(import.meta.dir, '../../..')

/** Reads a file of `deploy/`. */
export const readDeploy = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8')

/** The files of a folder of `deploy/`, as paths in there. */
export const deployFiles = (folder = ''): string[] =>
  readdirSync(join(root, 'deploy', folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(root, 'deploy'), join(entry.parentPath, entry.name)))
    .sort()

/** Replaces a text that must exist. @throws if it does not */
function replace(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`${pattern} is not in:\n${text}`)
  return text.replace(pattern, () => by)
}

export interface NginxSite {
  /** What `listen` takes: an address, a port or `unix:<path>`. */
  listen: string
  /** The servers: `127.0.0.1:4030`, `unix:<path>`. */
  servers: readonly string[]
  /** The address for everything except streams. @default the servers */
  reads?: readonly string[]
}

/** The site of `deploy/nginx`, with other addresses. */
export function nginxSite({ listen, servers, reads = servers }: NginxSite): string {
  const upstream = (site: string, name: string, addresses: readonly string[]): string => {
    const [block = ''] = new RegExp(`upstream ${name} \\{[^}]*\\}`).exec(site) ?? []
    const [, parameters = ''] = /server \S+ (max_fails[^;]*);/.exec(block) ?? []
    const lines = addresses.map((address) => `    server ${address} ${parameters};\n`).join('')
    const [first, ...others] = block.split(/^ +server .*\n/m)
    return replace(site, new RegExp(`upstream ${name} \\{[^}]*\\}`), `${first}${lines}${others.join('')}`)
  }
  const upstreams = upstream(readDeploy('nginx/upstreams.conf'), 'wattfeed_servers', servers)
  const site = replace(readDeploy('nginx/wattfeed.conf'), /listen 80;/, `listen ${listen};`)
  return `${upstream(upstreams, 'wattfeed_reads', reads)}\n${site}`
}

export interface VarnishConfig {
  /** Ports on the loopback. */
  servers: readonly number[]
  /** Interval of the readiness probes. @default 2, as in the file */
  probeIntervalS?: number
}

/** The configuration of `deploy/varnish`, with other servers. */
export function varnishConfig({ servers, probeIntervalS = 2 }: VarnishConfig): string {
  const vcl = readDeploy('varnish/wattfeed.vcl')
  const [backend = ''] = /^backend server1 .*\n/m.exec(vcl) ?? []
  const backends = servers.map((port, index) =>
    replace(backend.replace('server1', `server${index + 1}`), /"\d+"/, `"${port}"`),
  )
  const added = servers.map((_, index) => `    servers.add_backend(server${index + 1});\n`)
  return [
    [/(^backend .*\n)+/m, backends.join('')] as const,
    [/(^ +servers\.add_backend.*\n)+/m, added.join('')] as const,
    [/\.interval = 2s;/, `.interval = ${probeIntervalS}s;`] as const,
  ].reduce((text, [pattern, by]) => replace(text, pattern, by), vcl)
}

const varnish = findProgram('varnishd', 'REQUIRE_VARNISH')

/** Whether tests behind Varnish can run here. */
export const hasVarnish = varnish.isInstalled

/** The parameters that `deploy/varnish` requires. */
const varnishParameters = (): string[] =>
  [...readDeploy('varnish/wattfeed.vcl').matchAll(/ (-p) (\w+=\w+)/g)].flatMap(([, flag = '', set = '']) => [
    flag,
    set,
  ])

/** Debian's compiler of configurations, without optimization, which a few requests do not need. */
const CC_COMMAND = 'cc_command=exec cc -O0 -w -pthread -fpic -shared -Wl,-x -o %o %s'

/** Starts Varnish. */
export const startVarnish = (config: string): Promise<Daemon> =>
  startDaemon('varnishd', async ({ folder, socket }) => {
    await Bun.write(join(folder, 'wattfeed.vcl'), config)
    const work = join(folder, 'work')
    return [
      ...[varnish.path, '-F', '-j', 'none', '-n', work, '-f', join(folder, 'wattfeed.vcl')],
      ...['-a', `${socket},mode=0666`, '-T', 'none', '-s', 'malloc,32m', '-p', CC_COMMAND],
      ...varnishParameters(),
    ]
  })

/** Compiles a configuration with Varnish. */
export async function compileVarnish(folder: string, config: string) {
  await Bun.write(join(folder, 'wattfeed.vcl'), config)
  const command = [
    varnish.path,
    '-C',
    '-j',
    'none',
    '-n',
    join(folder, 'work'),
    '-f',
    join(folder, 'wattfeed.vcl'),
  ]
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' })
  const stderr = await new Response(child.stderr).text()
  return { exitCode: await child.exited, stderr }
}

/** Reads one of Varnish's counters: `MAIN.busy_sleep`. */
export const varnishCounter = async (varnish: Daemon, name: string): Promise<number> =>
  Number((await varnishCounters(varnish, name))[name])

/** Reads all of Varnish's counters that match a pattern: `VBE.*.happy`. They have 64 bits. */
export async function varnishCounters({ folder }: Daemon, pattern: string): Promise<Record<string, bigint>> {
  const child = Bun.spawn(['varnishstat', '-1', '-n', join(folder, 'work'), '-f', pattern])
  const lines = (await new Response(child.stdout).text()).match(/^\S+ +\d+/gm) ?? []
  const pairs = lines.map((line) => line.split(/ +/))
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, BigInt(value)]))
}
