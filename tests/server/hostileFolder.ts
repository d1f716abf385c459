import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file that foreign code leaves when it runs. */
export const MARK = 'foreign-code-ran'

/**
 * Creates a folder with everything that a runtime may read from its working directory: settings, its own configuration,
 * and packages of the given names. Each of them writes a file {@link MARK} there if it runs.
 */
export function makeHostileFolder(path: string, packages: readonly string[]): void {
  const foreign = `require('node:fs').writeFileSync(${JSON.stringify(join(path, MARK))}, '')`
  const write = (name: string, text: string): void => {
    mkdirSync(join(path, name, '..'), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  write('foreign.js', foreign)
  write('index.ts', foreign)
  write('src/index.ts', foreign)
  for (const name of ['bunfig.toml', '.bunfig.toml']) write(name, 'preload = ["./foreign.js"]\n')
  for (const name of ['.env', '.env.local', '.env.production', '.env.development'])
    write(name, 'PORT=none\nHOST=no host\nVERIFY=sometimes\nLOG_LEVEL=silent\n')
  const paths = Object.fromEntries(['*', ...packages].map((name) => [name, ['./foreign.js']]))
  write('tsconfig.json', JSON.stringify({ compilerOptions: { baseUrl: '.', paths } }))
  write('package.json', JSON.stringify({ main: 'foreign.js', bun: { preload: './foreign.js' } }))
  for (const name of packages) write(`node_modules/${name}/index.js`, foreign)
}

/** The names of the packages that are installed in a project. */
export function installedPackages(root: string): readonly string[] {
  const namesIn = (folder: string): string[] =>
    readdirSync(join(root, 'node_modules', folder)).filter((name) => !name.startsWith('.'))
  return namesIn('').flatMap((name) =>
    name.startsWith('@') ? namesIn(name).map((inner) => `${name}/${inner}`) : [name],
  )
}
