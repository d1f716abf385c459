// cspell:ignore Nothi
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { appendFile, copyFile, mkdir, readdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { $ } from 'bun'
import manifest from '../../package.json' with { type: 'json' }
import library from '../../packages/wattfeed/package.json' with { type: 'json' }
import { type Ended, runToEnd } from '../support/program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const version = '9.8.7'
const binary = `wattfeed-${version}-${process.platform}-${process.arch}`
const tarballs = [`wattfeed-${version}.tgz`, `wattfeed-cli-${version}.tgz`]
const names = ['SHA256SUMS', binary, `wattfeed-${version}.cdx.json`, ...tarballs]

/** Runs git in a folder, without the settings of whoever runs the tests, and returns what it prints. */
const gitIn = (folder: string, ...args: string[]): Promise<string> =>
  $`git -c user.name=somebody -c user.email=somebody@example.com ${args}`
    .cwd(folder)
    .env({ ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' })
    .quiet()
    .text()

/** A repository with this one's working tree, ready to release `version`. */
let source: Folder

beforeAll(async () => {
  source = createFolder()
  await gitIn(source.path, 'init', '--quiet')
  await copyWorkingTree(source.path)
  await Bun.write(join(source.path, 'package.json'), JSON.stringify({ ...manifest, version }))
  await appendFile(join(source.path, 'CHANGELOG.md'), `\n## [${version}] - 2026-11-23\n`)
  await gitIn(source.path, 'add', '.')
  await gitIn(source.path, 'commit', '--quiet', '--message', 'Everything')
})

afterAll(() => source[Symbol.dispose]())

interface Clone extends Disposable {
  path: string
  git: (...args: string[]) => Promise<string>
  release: (...args: string[]) => Promise<Ended>
}

async function createClone(): Promise<Clone> {
  const folder = createFolder()
  const path = join(folder.path, 'clone')
  const git = (...args: string[]) => gitIn(path, ...args)
  await gitIn(folder.path, 'clone', '--quiet', source.path, path)
  await git('config', 'user.name', 'somebody')
  await git('config', 'user.email', 'somebody@example.com')
  // A link, which the pattern `node_modules/` does not match.
  await appendFile(join(path, '.git/info/exclude'), 'node_modules\n')
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
  const settings = { HOME: folder.path, GIT_CONFIG_GLOBAL: '/dev/null' }
  return {
    path,
    git,
    release: (...args) => runToEnd([process.execPath, 'scripts/release.ts', ...args], settings, path),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

async function copyWorkingTree(to: string): Promise<void> {
  const listed = await $`git ls-files -z --cached --others --exclude-standard`.cwd(root).quiet().text()
  const isReleased = (name: string) => name !== '' && !/^(bench|tests)\//.test(name)
  for (const name of listed.split('\0').filter(isReleased)) {
    if (!existsSync(join(root, name))) continue
    await mkdir(dirname(join(to, name)), { recursive: true })
    await copyFile(join(root, name), join(to, name))
  }
}

describe('a release', () => {
  let clone: Clone
  let ended: Ended
  const built = (name: string) => join(clone.path, 'dist/release', name)

  beforeAll(async () => {
    clone = await createClone()
    ended = await clone.release(version)
  })

  afterAll(() => clone[Symbol.dispose]())

  test('default: reports each step and the remaining work', () => {
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' })
    const lines = ended.stdout.trim().split('\n')
    expect(lines.map((line) => line.slice(0, 5))).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7].map((step) => `[${step}/7]`),
      'Nothi',
    ])
    expect(lines.at(-1)).toBe(`Nothing was published. Next: git push origin v${version}`)
  })

  test('default: both packages, the binary, the SBOM and the sums, which hold', async () => {
    expect((await readdir(built(''))).sort()).toEqual([...names].sort())
    const sums = ['sha256sum', '--check', '--strict', 'SHA256SUMS']
    const { exitCode, stdout } = await runToEnd(sums, {}, built(''))
    expect(exitCode).toBe(0)
    expect(stdout.match(/: OK$/gm)).toHaveLength(4)
  })

  test.each([
    [tarballs[0], 'package/dist/client/index.js'],
    [tarballs[1], 'package/program/wattfeed.js'],
  ])('default: %s is of this version and has %s', async (name = '', path) => {
    const packed = await $`tar --extract --to-stdout --file ${built(name)} package/package.json`
      .quiet()
      .json()
    expect(packed.version).toBe(version)
    // npm compares it with the repository that the provenance names.
    expect(packed.repository.url).toBe(library.repository.url)
    expect(await $`tar --list --file ${built(name)}`.quiet().text()).toContain(`${path}\n`)
  })

  test('default: the binary is of this version', async () => {
    expect(await runToEnd([built(binary), '--version'])).toMatchObject({ stdout: `${version}\n` })
  })

  test('behavior: the binary names no folder of the machine that built it', async () => {
    const folders = [`"${clone.path}`, `"${root}`]
    const { exitCode } = await $`grep -qaF -e ${folders[0]} -e ${folders[1]} ${built(binary)}`
      .nothrow()
      .quiet()
    expect(exitCode).toBe(1)
  })

  test('default: the SBOM is valid CycloneDX, with the packages inside and nothing else', async () => {
    const text = await Bun.file(built(`wattfeed-${version}.cdx.json`)).text()
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull()
    const { components, metadata } = JSON.parse(text)
    expect(metadata.component).toMatchObject({ name: 'wattfeed-app', version })
    const purls: string[] = components.map(({ purl }: { purl: string }) => purl.replace(/\?.*/, ''))
    const { dependencies } = manifest
    for (const name of ['@noble/curves', '@noble/hashes', 'p-limit'] as const)
      expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${dependencies[name]}`)
    for (const name of ['elysia', 'preact', 'swagger-ui-dist', 'casper-js-sdk'] as const)
      expect(purls).toContain(`pkg:npm/${name}@${dependencies[name]}`)
    expect(purls.filter((purl) => /typescript|playwright|vite|cyclonedx|wattfeed/.test(purl))).toEqual([])
  })

  test('default: an annotated tag on the commit', async () => {
    expect(await clone.git('cat-file', '-t', `v${version}`)).toBe('tag\n')
    expect(await clone.git('rev-parse', `v${version}^{commit}`)).toBe(await clone.git('rev-parse', 'HEAD'))
  })

  test('behavior: the working tree is still clean', async () => {
    expect(await clone.git('status', '--porcelain')).toBe('')
  })
})

describe('a release that does not happen', () => {
  test('behavior: --dry-run prints the steps, builds nothing and leaves no tag', async () => {
    using clone = await createClone()
    const { exitCode, stdout, stderr } = await clone.release(version, '--dry-run')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    for (const text of [...names, `tag HEAD as v${version}`]) expect(stdout).toContain(text)
    expect(existsSync(join(clone.path, 'dist'))).toBe(false)
    expect(await clone.git('tag')).toBe('')
  })

  test('behavior: --tagged builds for the tag of the commit, and creates none', async () => {
    using clone = await createClone()
    await clone.git('tag', `v${version}`)
    const { exitCode, stdout, stderr } = await clone.release(version, '--tagged', '--dry-run')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    for (const name of names) expect(stdout).toContain(name)
    expect(stdout).not.toContain('would tag')
  })

  test('error: --tagged for a commit without the tag', async () => {
    using clone = await createClone()
    await clone.git('tag', `v${version}`)
    await clone.git('commit', '--quiet', '--allow-empty', '--message', 'Go on')
    expect(await clone.release(version, '--tagged')).toMatchObject({
      exitCode: 1,
      stderr: `release: this commit does not have the tag v${version}: check it out\n`,
    })
  })

  test('error: reports every fault, with its fix', async () => {
    using clone = await createClone()
    await Bun.write(join(clone.path, 'new.txt'), '')
    for (const args of [['9.9.9'], ['9.9.9', '--dry-run']])
      expect(await clone.release(...args)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `release: package.json has version "${version}", not "9.9.9": set "version" there and commit it
release: CHANGELOG.md has no section "## [9.9.9] - YYYY-MM-DD": move the entries of [Unreleased] there
release: the working tree has uncommitted changes (new.txt): commit or remove them
`,
      })
    expect(existsSync(join(clone.path, 'dist'))).toBe(false)
  })

  test('error: a step that fails is named with its output, and leaves no tag', async () => {
    using clone = await createClone()
    await Bun.write(join(clone.path, 'packages/wattfeed/src/live/index.ts'), "export * from './missing.ts'\n")
    await clone.git('commit', '--quiet', '--all', '--message', 'Break it')
    const { exitCode, stderr } = await clone.release(version)
    expect(exitCode).toBe(1)
    expect(stderr).toStartWith(`release: could not pack dist/release/wattfeed-${version}.tgz: `)
    expect(stderr).toContain('missing.ts')
    expect(await clone.git('tag')).toBe('')
  })
})
