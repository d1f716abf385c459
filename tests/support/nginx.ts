import { join } from 'node:path'
import { type Daemon, startDaemon } from './daemon.ts'
import { findProgram } from './installed.ts'

const program = findProgram('nginx', 'REQUIRE_NGINX')

/** Whether tests behind nginx can run here. */
export const hasNginx = program.isInstalled

/** The settings of Debian's `nginx.conf` around a site, including compression. */
const mainConfig = (folder: string, site: string) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log ${folder}/access.log;
  gzip on;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${site}
}`

/** The command that runs nginx with a site in a folder. */
async function commandOf(folder: string, site: string): Promise<string[]> {
  await Bun.write(join(folder, 'nginx.conf'), mainConfig(folder, site))
  return [program.path, '-p', folder, '-c', 'nginx.conf', '-e', join(folder, 'error.log')]
}

/** Starts nginx with a site, and passes it the address to listen on. */
export const startNginx = (site: (listen: string) => string): Promise<Daemon> =>
  startDaemon('nginx', async ({ folder, socket }) => [
    ...(await commandOf(folder, site(`unix:${socket}`))),
    '-g',
    'daemon off;',
  ])

/** Runs nginx's own check of a site in a folder. */
export async function testNginx(folder: string, site: string) {
  const child = Bun.spawn([...(await commandOf(folder, site)), '-t'], { stderr: 'pipe' })
  return { exitCode: await child.exited, stderr: await new Response(child.stderr).text() }
}
