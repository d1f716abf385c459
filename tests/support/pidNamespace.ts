const isRoot = process.getuid?.() === 0
const command = [
  'unshare',
  ...(isRoot ? [] : ['--user', '--map-root-user']),
  '--pid',
  '--kill-child',
  '--mount-proc',
]

const isAllowed = Bun.which('unshare') !== null && Bun.spawnSync([...command, 'true']).exitCode === 0
if (!isAllowed)
  console.warn(`skipped: tests in another pid namespace, because ${command.join(' ')} fails here`)

/** Whether a process can run in a pid namespace of its own here; `REQUIRE_UNSHARE=1` says that it must. */
export const hasPidNamespaces = isAllowed || process.env.REQUIRE_UNSHARE === '1'

/** Before a command: runs it as process 1 of a pid namespace of its own, as a container does. */
export const inPidNamespace: readonly string[] = command
