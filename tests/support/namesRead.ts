import type { Environment } from '../../src/runtime/settings/settings.ts'

/** Returns the names of the settings that a function reads, in order; only `given` are set. */
export function namesRead(read: (environment: Environment) => unknown, given: Environment = {}): string[] {
  const names: string[] = []
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        names.push(String(name))
        return given[String(name)]
      },
    },
  )
  read(environment)
  return names
}
