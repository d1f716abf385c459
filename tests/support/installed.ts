/** A program on this machine that some tests run. */
export interface InstalledProgram {
  /** Its path, or its name if it is not installed. */
  readonly path: string
  /** Whether its tests can run here; `REQUIRE_<NAME>=1` makes them mandatory. */
  readonly isInstalled: boolean
}

/**
 * Looks for a program, and reports which tests are skipped if it is missing.
 *
 * @param requirement the setting that makes its tests mandatory
 */
export function findProgram(name: string, requirement: `REQUIRE_${string}`): InstalledProgram {
  const path = Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` })
  const isInstalled = path !== null || process.env[requirement] === '1'
  if (!isInstalled) console.warn(`skipped: tests with ${name}, because it is not installed`)
  return { path: path ?? name, isInstalled }
}
