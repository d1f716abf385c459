// cspell:ignore bfree statfs
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const isRoot = process.getuid?.() === 0
const unshare = ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), '--mount']

const isAllowed =
  Bun.which('unshare') !== null &&
  Bun.spawnSync([...unshare, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).exitCode === 0
if (!isAllowed)
  console.warn(`skipped: tests on a full disk, because ${unshare.join(' ')} with a mount fails here`)

/** Whether a small disk can be mounted here; `REQUIRE_UNSHARE=1` makes its tests mandatory. */
export const hasSmallDisks = isAllowed || process.env.REQUIRE_UNSHARE === '1'

/** Command prefix that runs a process which sees a disk of this size in the place of a folder. The disk ends with it. */
export const onSmallDisk = (folder: string, size = '256k'): readonly string[] => [
  ...[...unshare, 'sh', '-c', `mount -t tmpfs -o size=${size} tmpfs "$0" && exec "$@"`, folder],
]

/** Sets the size of the disk that this process sees in the place of a folder; `full` leaves no free space. */
export function resizeDisk(folder: string, size: string): void {
  const { blocks, bfree, bsize } = statfsSync(folder)
  const bytes = size === 'full' ? `${(blocks - bfree) * bsize}` : size
  const { exitCode, stderr } = Bun.spawnSync(['mount', '-o', `remount,size=${bytes}`, folder])
  if (exitCode !== 0) throw new Error(`the disk of ${folder} cannot be resized: ${stderr}`)
}
