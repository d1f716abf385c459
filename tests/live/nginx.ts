import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nextTask } from '../../src/async/nextTask.ts'

const executablePath = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })

/** Whether tests behind nginx can run here; `REQUIRE_NGINX=1` makes them mandatory. */
export const hasNginx = executablePath !== null || process.env.REQUIRE_NGINX === '1'

if (!hasNginx) console.warn('skipped: tests behind nginx, because it is not installed')

/** As Debian configures a proxy: it buffers answers, and gives up on a server that says nothing. */
const configOf = (folder: string, port: number, readTimeoutS: number) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  access_log off;
  gzip on;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  server {
    listen unix:${folder}/socket;
    location / {
      proxy_pass http://127.0.0.1:${port};
      proxy_read_timeout ${readTimeoutS}s;
    }
  }
}`

/** Starts nginx in front of a local port. It listens on a Unix socket, so no port can be taken. */
export async function startNginx(port: number, { readTimeoutS }: { readTimeoutS: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'wattfeed-nginx-'))
  await chmod(folder, 0o755)
  await Bun.write(join(folder, 'nginx.conf'), configOf(folder, port, readTimeoutS))
  const command = [executablePath ?? 'nginx', '-p', folder, '-c', 'nginx.conf', '-g', 'daemon off;']
  const child = Bun.spawn([...command, '-e', join(folder, 'error.log')], { stderr: 'pipe' })
  const socket = join(folder, 'socket')
  while (!(await accepts(socket))) {
    if (child.exitCode !== null) throw new Error(`nginx: ${await new Response(child.stderr).text()}`)
    await nextTask()
  }
  return {
    socket,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const accepts = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(true) ?? socket.destroy())
    socket.once('error', () => resolve(false))
  })
