/** What a test file may use. Its name tells: `feed.test.ts`, `feed.integration.test.ts`, `feed.soak.test.ts`. */
type Level = 'unit' | 'integration' | 'soak'

function levelOf(path: string): Level {
  const [, level = 'unit'] = /\.(integration|soak)\.test\.ts$/.exec(path) ?? []
  return level as Level
}

let running: { path: string; level: Level } | null = null

/** Says which test file runs from now on. Bun loads a file when those before it have ended. */
export function startTestFile(path: string): void {
  running = { path, level: levelOf(path) }
}

/** Makes sockets, processes and workers throw in a unit test, so that `bun run check` stays quick. */
export function forbidInUnitTests(): void {
  for (const name of ['serve', 'listen', 'connect', 'spawn', 'spawnSync'] as const)
    forbid(Bun, name, `Bun.${name}`)
  for (const name of ['fetch', 'Worker'] as const) forbid(globalThis, name, name)
}

function forbid<K extends string>(owner: Record<K, object>, name: K, shown: string): void {
  owner[name] = new Proxy(owner[name], {
    apply(target, self, args) {
      assertAllowed(shown)
      return Reflect.apply(target as () => unknown, self, args)
    },
    construct(target, args, newTarget) {
      assertAllowed(shown)
      return Reflect.construct(target as () => unknown, args, newTarget)
    },
  })
}

function assertAllowed(shown: string): void {
  if (running?.level !== 'unit') return
  const renamed = running.path.replace(/\.test\.ts$/, '.integration.test.ts')
  throw new Error(
    `${shown} is not for a unit test: move the test to ${renamed.slice(renamed.lastIndexOf('/') + 1)}`,
  )
}
