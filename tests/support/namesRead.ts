import type { Environment } from '../../src/runtime/settings.ts'

/** The settings that are looked up, in their order; `given` are set, all others are not. */
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
