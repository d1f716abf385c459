import { chmod } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { nextLook } from './nextLook.ts'

/** A server program in its own folder; it stops when disposed of. */
export interface Daemon extends AsyncDisposable {
  readonly folder: string
  /** Path of its Unix socket in the folder, which no other process can take. */
  readonly socket: string
}

/**
 * Starts a program and waits until it listens on a Unix socket.
 *
 * @param command returns the program's command for its folder and its socket; it may write files there
 */
export async function startDaemon(
  name: string,
  command: (daemon: Pick<Daemon, 'folder' | 'socket'>) => Promise<readonly string[]>,
): Promise<Daemon> {
  const created = createFolder()
  const folder = created.path
  const socket = join(folder, 'socket')
  // Some of them drop root's rights.
  await chmod(folder, 0o755)
  const child = Bun.spawn([...(await command({ folder, socket }))], { stdout: 'ignore', stderr: 'pipe' })
  while (!(await accepts(socket))) {
    if (child.exitCode !== null) throw new Error(`${name}: ${await new Response(child.stderr).text()}`)
    await nextLook()
  }
  return {
    folder,
    socket,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
      created[Symbol.dispose]()
    },
  }
}

const accepts = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(true) ?? socket.destroy())
    socket.once('error', () => resolve(false))
  })
