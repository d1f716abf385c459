const KEPT = ['PATH', 'HOME', 'TMPDIR']

/**
 * The environment of a program that is started with settings of its own: those, and where things are on this machine.
 * What else is set here, for another network, would be taken for theirs.
 */
export function childEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...settings }
}
