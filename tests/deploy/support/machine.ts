// cspell:ignore lowerdir pdeathsig procs setpriv sysfs upperdir
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { hasPidNamespaces } from '@wattfeed/testing/pidNamespace'
import { findProgram } from '../../support/installed.ts'
import { nextLook } from '../../support/nextLook.ts'
import { type RunningProgram, runToEnd, spawnProgram } from '../../support/program.ts'

const systemd = findProgram('systemctl', 'REQUIRE_SYSTEMD')

/** The groups of processes that systemd needs, where this machine has them. */
const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : ''
const [, cgroups = null] = /^\S+ (\S+) cgroup2 /m.exec(mounts) ?? []

/** Tries what a container may forbid, in namespaces that end with it. */
const probe = `mkdir "$1/wattfeed-$$" && rmdir "$1/wattfeed-$$" && exec unshare --fork --pid --mount --cgroup --ipc --uts --net sh -ec '
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/machine
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/machine
mount -t proc proc /mnt/machine/proc
mount -t sysfs -o ro sysfs /mnt/machine/sys
umount -R /mnt/machine/sys/fs/cgroup || true
mount -t cgroup2 cgroup2 /mnt/machine/sys/fs/cgroup'`

const isPossible =
  systemd.isInstalled &&
  hasPidNamespaces &&
  cgroups !== null &&
  Bun.spawnSync(['sh', '-c', probe, 'sh', cgroups], { stderr: 'ignore' }).exitCode === 0
if (!isPossible)
  console.warn('skipped: tests that boot systemd, which needs root, unshare, cgroup2 and an overlay of files')

/** Whether tests can boot systemd here; `REQUIRE_BOOT=1` makes them mandatory. */
export const canBoot = isPossible || process.env.REQUIRE_BOOT === '1'

/** A machine with systemd as process 1, on a copy of this machine's files that vanishes at the end. Its network is its own. */
export interface Machine extends AsyncDisposable {
  /** Runs a script in a folder of the machine, and returns its output. @throws if it fails */
  run(script: string, cwd?: string): Promise<string>
  /** Writes a file of the machine. */
  write(path: string, text: string, mode?: string): Promise<void>
  /** Prefix of a command that runs outside of the machine, in its network. */
  readonly inNetwork: readonly string[]
}

/** Boots in a group of processes and in namespaces of its own. Everything ends with this process, however that ends. */
const bootScript = `echo $$ >"$1/cgroup.procs"
exec setpriv --pdeathsig KILL unshare --fork --kill-child --pid --mount --cgroup --ipc --uts --net sh "$2" "$3" "$4"`

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Boots a machine. */
export async function startMachine(): Promise<Machine> {
  const folder = createFolder()
  const group = join(String(cgroups), basename(folder.path))
  mkdirSync(group)
  const script = join(import.meta.dir, 'bootMachine.sh')
  const repository = join(import.meta.dir, '../../..')
  const boot = ['sh', '-c', bootScript, 'sh', group, script, folder.path, repository]
  const booted = spawnProgram(boot, { env: { PATH }, cwd: '/' })
  const pid = await systemdIn(booted)
  const enter = ['nsenter', '--target', pid, '--mount', '--pid', '--net', '--uts', '--ipc', 'env', '-i']
  const run: Machine['run'] = async (script, cwd = '/') => {
    const shell = [`PATH=${PATH}`, 'HOME=/root', 'sh', '-euc', `cd "$1"; ${script}`, 'sh', cwd]
    const { exitCode, stdout, stderr } = await runToEnd([...enter, ...shell], {}, '/')
    if (exitCode !== 0) throw new Error(`${script}\n${stdout}${stderr}`)
    return stdout
  }
  // It fails if a unit of this machine's packages did.
  await run('systemctl is-system-running --wait || true')
  return {
    run,
    async write(path, text, mode = '600') {
      const encoded = Buffer.from(text).toString('base64')
      await run(`install -m ${mode} /dev/null ${path}; echo ${encoded} | base64 -d >${path}`)
    },
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
