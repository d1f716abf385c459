const isRoot = process.getuid?.() === 0
const command = ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), '--mount', 'sh', '-ec']
/** Runs its other arguments after it has mounted a small file system on the first. */
const script = 'mount -t tmpfs -o size="$1" tmpfs "$2"; shift 2; exec "$@"'

/** Returns a command prefix that runs a process with a file system of so many bytes at a folder, gone when it ends. */
export const onSmallDisk = (bytes: number, folder: string): readonly string[] => [
  ...command,
  script,
  'sh',
  String(bytes),
  folder,
]

const isAllowed =
  Bun.which('unshare') !== null &&
  Bun.spawnSync([...onSmallDisk(65_536, '/mnt'), 'true'], { stderr: 'ignore' }).exitCode === 0
if (!isAllowed) console.warn('skipped: tests on a full disk, because unshare --mount fails here')

/** Whether small disks are available here; `REQUIRE_UNSHARE=1` makes their tests mandatory. */
export const hasSmallDisks = isAllowed || process.env.REQUIRE_UNSHARE === '1'
