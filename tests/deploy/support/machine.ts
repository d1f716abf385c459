import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '../../support/folder.ts'
import { findProgram } from '../../support/installed.ts'
import { nextLook } from '../../support/nextLook.ts'
import { hasPidNamespaces } from '../../support/pidNamespace.ts'
import { type Ended, type RunningProgram, runToEnd, spawnProgram } from '../../support/program.ts'

const systemd = findProgram('systemctl', 'REQUIRE_SYSTEMD')

/** The groups of processes that systemd needs, where this machine has them. */
const [, cgroups = null] = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/mounts', 'utf8')) ?? []

/** Whether tests can boot systemd here: root can, in new namespaces. */
export const canBoot = systemd.isInstalled && hasPidNamespaces && process.getuid?.() === 0 && cgroups !== null
if (!canBoot) console.warn('skipped: tests that boot systemd, which needs root, unshare and cgroup2')

/** A machine with systemd as process 1, on a copy of this machine's files that vanishes at the end. Its network is its own. */
export interface Machine extends AsyncDisposable {
  /** Runs a script in a folder of the machine. */
  run(script: string, cwd?: string): Promise<Ended>
  /** Prefix of a command that runs outside of the machine, in its network. */
  readonly inNetwork: readonly string[]
}

/** Boots a machine. */
export async function startMachine(): Promise<Machine> {
  const folder = createFolder()
  const group = join(String(cgroups), folder.path.split('/').at(-1) ?? '')
  mkdirSync(group)
  const enter = 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"'
  const namespaces = ['pid', 'mount', 'cgroup', 'ipc', 'uts', 'net'].map((name) => `--${name}`)
  const boot = ['sh', join(import.meta.dir, 'bootMachine.sh'), folder.path]
  const unshare = ['unshare', '--fork', '--kill-child', ...namespaces, ...boot]
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  const booted = spawnProgram(['sh', '-c', enter, 'sh', group, ...unshare], { env: { PATH: path }, cwd: '/' })
  const pid = await systemdIn(booted)
  const enterAll = ['nsenter', '--target', pid, '--mount', '--pid', '--net', '--uts', '--ipc']
  const run: Machine['run'] = (script, cwd = '/') =>
    runToEnd(
      [...enterAll, 'env', '-i', `PATH=${path}`, 'HOME=/root', 'sh', '-euc', `cd "$1"; ${script}`, 'sh', cwd],
      {},
      '/',
    )
  // 1 means degraded: a unit of this machine's packages failed.
  const { exitCode, stdout, stderr } = await run('systemctl is-system-running --wait')
  if (exitCode > 1) throw new Error(stdout + stderr + booted.logged())
  return {
    run,
    inNetwork: ['nsenter', `--net=/proc/${pid}/ns/net`],
    async [Symbol.asyncDispose]() {
      await booted.kill()
      await removeGroup(group)
      folder[Symbol.dispose]()
    },
  }
}

/** Waits until systemd runs as the child of `unshare`, and returns its process id. */
async function systemdIn(booted: RunningProgram): Promise<string> {
  let hasEnded = false
  void booted.ended.then(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    const child = readFileSync(`/proc/${booted.pid}/task/${booted.pid}/children`, 'utf8').trim()
    const isSystemd = child !== '' && readFileSync(`/proc/${child}/comm`, 'utf8') === 'systemd\n'
    if (isSystemd && existsSync(`/proc/${child}/root/run/systemd/private`)) return child
    await nextLook()
  }
  throw new Error((await booted.ended).stderr)
}

/** Removes a group of processes and those in it. Killed processes take a moment to leave it. */
async function removeGroup(path: string): Promise<void> {
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) await removeGroup(join(path, entry.name))
  while (!isRemoved(path)) await nextLook()
}

function isRemoved(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EBUSY') return false
    throw error
  }
}
