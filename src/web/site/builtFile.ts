/** A built file of a site as served. */
export interface BuiltFile {
  /** Name or path, such as `main-8fk2x0s1.js`. */
  name: string
  type: string
  text: string
}

/** Bundles entry files and everything that they import, minified for browsers. */
export async function bundleForBrowsers(
  config: Pick<Bun.BuildConfig, 'define' | 'entrypoints' | 'naming' | 'publicPath' | 'root' | 'splitting'>,
): Promise<BuiltFile[]> {
  const { outputs } = await Bun.build({ ...config, target: 'browser', minify: true, throw: true })
  const files = outputs.map(async (file) => ({
    name: file.path.replace(/^\.?\//, ''),
    type: file.type,
    text: await file.text(),
  }))
  return Promise.all(files)
}

/**
 * Runs a script that prints built files as JSON.
 *
 * A macro cannot wait for the bundler that runs it, so a bundler that a macro starts needs its own process. The process has a
 * fixed environment and folder, because the output depends on them.
 */
export function runBuild(script: string, cwd: string): BuiltFile[] {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, script], {
    cwd,
    env: { NODE_ENV: 'production' },
  })
  if (!success) throw new Error(`${script} failed: ${stderr}`)
  return JSON.parse(stdout.toString())
}
