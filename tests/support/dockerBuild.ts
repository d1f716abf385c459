import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Glob } from 'bun'
import { runToEnd } from './program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const linesOf = (name: string): string[] => readFileSync(join(root, name), 'utf8').split('\n')

export const dockerfile = linesOf('Dockerfile')

// https://docs.docker.com/build/concepts/context/#dockerignore-files: the last pattern that matches a file or one of its
// folders decides.
const patterns = linesOf('.dockerignore')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ ignores: !line.startsWith('!'), glob: new Glob(line.replace(/^!/, '')) }))

const withFolders = (path: string): string[] =>
  path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))

/** Whether a file is excluded from the build's context. */
export const isIgnored = (path: string): boolean =>
  patterns.findLast(({ glob }) => withFolders(path).some((name) => glob.match(name)))?.ignores ?? false

/** The Dockerfile's copies from the build's context. */
export const copied = dockerfile
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .map((line) => line.split(' ').slice(1))
  .flatMap((words) => words.slice(0, -1).map((from) => ({ from, to: words.at(-1) ?? '' })))

/** The files that the Dockerfile copies, each from its path in this repository to its path in the image. */
export const copiedFiles = (): { from: string; to: string }[] =>
  copied.flatMap(({ from, to }) =>
    filesIn(from)
      .filter((path) => !isIgnored(path))
      .map((path) => ({ from: path, to: join(to, to.endsWith('/') ? path : path.slice(from.length)) })),
  )

function filesIn(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path]
  const names = readdirSync(join(root, path)).filter((name) => name !== 'node_modules')
  return names.sort().flatMap((name) => filesIn(join(path, name)))
}

/**
 * Builds the binary with the Dockerfile's command, in a folder with the files that it copies and this repository's packages.
 * Returns the path of the binary.
 */
export async function buildAsDockerfile(folder: string): Promise<string> {
  for (const { from, to } of copiedFiles()) {
    mkdirSync(dirname(join(folder, to)), { recursive: true })
    copyFileSync(join(root, from), join(folder, to))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const bin = mkdtempSync(join(folder, 'bin-'))
  symlinkSync(process.execPath, join(bin, 'bun'))
  const run = dockerfile
    .filter((line) => line.startsWith('RUN bun run '))
    .map((line) => line.slice(4).split(' '))
  for (const command of run) {
    const { exitCode, stderr } = await runToEnd(
      command,
      { HOME: folder, PATH: `${bin}:${process.env.PATH}` },
      folder,
    )
    if (exitCode !== 0) throw new Error(stderr)
  }
  return join(folder, 'dist/wattfeed')
}
