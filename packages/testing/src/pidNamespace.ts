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

/** Whether pid namespaces are available here; `REQUIRE_UNSHARE=1` makes their tests mandatory. */
export const hasPidNamespaces = isAllowed || process.env.REQUIRE_UNSHARE === '1'

/** Command prefix that runs a process as process 1 of a new pid namespace, like a container. */
export const inPidNamespace: readonly string[] = command
