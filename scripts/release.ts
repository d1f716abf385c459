/** Builds a release in `dist/release` and tags it: `bun run release <version>`. Publishes nothing: `.github/workflows/release.yml` does. */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'
import { Command } from 'commander'
import { packPackage } from './packPackage.ts'
import { listReleaseFaults, tagOf } from './release/listReleaseFaults.ts'
import { writeSbom } from './release/writeSbom.ts'

const out = 'dist/release'

interface Step {
  /** Describes the step, for people. */
  does: string
  run: () => Promise<unknown>
}

const help = `
Before it builds, it checks that:
  - package.json has this version
  - CHANGELOG.md has the section "## [<version>] - YYYY-MM-DD"
  - the working tree is clean
  - the tag v<version> does not exist; with --tagged, that the current commit has it

It changes no file that git tracks: first commit the version and the changelog's section.

It deletes the contents of ${out}, and writes there:
  wattfeed-<version>.tgz                    the npm package of the library
  wattfeed-cli-<version>.tgz                the npm package of the program
  wattfeed-<version>-<platform>-<machine>   the binary, for the machine that builds it
  wattfeed-<version>.cdx.json               the CycloneDX SBOM of these
  SHA256SUMS                                the checksums of these files, for sha256sum --check

It publishes nothing. The last step creates the tag, so a failed build leaves none. Once you push the tag,
.github/workflows/release.yml builds the same files with --tagged and publishes them.

Exit code: 0 built and tagged, or with --dry-run ready to be; 1 not ready, or a step failed.

Examples:
  bun run release 0.1.0 --dry-run
  bun run release 0.1.0`

interface Options {
  /** Only checks, and prints the steps. */
  dryRun?: true
  /** Builds for the tag of the current commit, instead of creating it. */
  tagged?: true
}

async function release(version: string, options: Options): Promise<void> {
  await checkRelease(version, options)
  if (options.dryRun) for (const { does } of stepsOf(version, 'HEAD', options)) console.log(`would ${does}`)
  else await build(version, options)
}

async function build(version: string, options: Options): Promise<void> {
  // The tag names the commit that was checked, even if somebody commits during the build.
  const commit = (await $`git rev-parse HEAD`.quiet().text()).trim()
  const steps = stepsOf(version, commit, options)
  for (const [index, { does, run }] of steps.entries()) {
    console.log(`[${index + 1}/${steps.length}] ${does}`)
    await run().catch((error) => {
      throw new Error(`could not ${does}: ${reasonOf(error)}`)
    })
  }
  if (!options.tagged) console.log(`Nothing was published. Next: git push origin ${tagOf(version)}`)
}

async function checkRelease(version: string, { tagged }: Options): Promise<void> {
  const changes = await $`git status --porcelain`.quiet().text()
  const tags = await $`git tag --list`.quiet().text()
  const ownTags = await $`git tag --points-at HEAD`.quiet().text()
  const faults = listReleaseFaults({
    version,
    manifestVersion: (await Bun.file('package.json').json()).version,
    changelog: await Bun.file('CHANGELOG.md').text(),
    changedFiles: linesOf(changes).map((line) => line.slice('?? '.length)),
    tags: linesOf(tags),
    ownTags: linesOf(ownTags),
    isTagged: tagged === true,
  })
  if (faults.length > 0) throw new Error(faults.join('\nrelease: '))
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

function reasonOf(error: unknown): string {
  if (error instanceof $.ShellError) return `${error.stdout}${error.stderr}`.trim()
  // The bundler's errors, one for each import.
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(String)].join('\n')
  return error instanceof Error ? error.message : String(error)
}

function stepsOf(version: string, commit: string, { tagged }: Options): Step[] {
  const tarball = `wattfeed-${version}.tgz`
  const cli = `wattfeed-cli-${version}.tgz`
  const binary = `wattfeed-${version}-${process.platform}-${process.arch}`
  const sbom = `wattfeed-${version}.cdx.json`
  const tag = tagOf(version)
  const steps = [
    { does: `empty ${out}`, run: () => emptyOut() },
    { does: `pack ${out}/${tarball}`, run: () => packLibrary(join(out, tarball)) },
    { does: `pack ${out}/${cli}`, run: () => $`${process.execPath} scripts/buildCli.ts ${out}`.quiet() },
    { does: `compile ${out}/${binary}`, run: () => compile(join(out, binary)) },
    { does: `write the SBOM ${out}/${sbom}`, run: () => writeSbom(join(out, sbom)) },
    { does: `write ${out}/SHA256SUMS`, run: () => writeSums([tarball, cli, binary, sbom]) },
  ]
  if (tagged) return steps
  const addTag = () => $`git tag --annotate ${tag} --message ${`wattfeed ${version}`} ${commit}`.quiet()
  return [...steps, { does: `tag ${commit} as ${tag}`, run: addTag }]
}

async function emptyOut(): Promise<void> {
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
}

async function packLibrary(path: string): Promise<void> {
  await copyFile(await packPackage('wattfeed'), path)
}

async function compile(path: string): Promise<void> {
  await $`${process.execPath} run build`.quiet()
  await copyFile('dist/wattfeed', path)
}

async function writeSums(names: readonly string[]): Promise<void> {
  const lines = names.map(async (name) => {
    const bytes = await Bun.file(join(out, name)).bytes()
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`
  })
  await Bun.write(join(out, 'SHA256SUMS'), (await Promise.all(lines)).join(''))
}

process.chdir(join(import.meta.dir, '..'))
await new Command('release')
  .usage('<version> [options]')
  .description('Builds a release and tags the current commit.')
  .argument('<version>', 'the version in package.json, without "v"')
  .option('--dry-run', 'check, and print the steps without running them')
  .option('--tagged', 'build for the tag that the current commit has, instead of creating it')
  .addHelpText('after', help)
  .action(async (version: string, options: Options) => {
    try {
      await release(version, options)
    } catch (error) {
      console.error(`release: ${reasonOf(error)}`)
      process.exitCode = 1
    }
  })
  .parseAsync()
