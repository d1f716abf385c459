import { basename } from 'node:path'

/** The name of the unit test file that runs; null while another one runs. `x.integration.test.ts` and `x.soak.test.ts` are no units. */
let unitTest: string | null = null

/** Says which test file runs from now on. Bun loads a file when those before it have ended. */
export function startTestFile(path: string): void {
  unitTest = /\.(integration|soak)\.test\.ts$/.test(path) ? null : basename(path)
}

/**
 * Makes what opens sockets or starts processes and workers throw in a unit test, so that `bun run check` stays quick. The modules of
 * Node.js that listen or spawn call these too; those that only connect do not.
 */
export function forbidInUnitTests(): void {
  for (const name of ['serve', 'listen', 'connect', 'spawn', 'spawnSync', '$'] as const)
    forbid(Bun, name, `Bun.${name}`)
  for (const name of ['fetch', 'WebSocket', 'Worker'] as const) forbid(globalThis, name, name)
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
  if (unitTest === null) return
  const moved = unitTest.replace(/\.test\.ts$/, '.integration.test.ts')
  throw new Error(`${shown} is not for a unit test: move the test to ${moved}`)
}
