// cspell:ignore conftest doctest pytest
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DAY_MS } from '@wattfeed/base'
import { snippetsOf as snippetsOfFeed } from '../../src/web/explorer/pages/feed/snippets.ts'
import { type Demo, printedSettings, startDemo, trustOptions } from '../demo/demoProcess.ts'
import { wattfeed } from '../support/binary.ts'
import { runToEnd } from '../support/program.ts'
import { snippetsOf } from '../support/snippets.ts'
import { executablePath, hasPython, openPython, type Python } from './python.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CLIENT = join(ROOT, 'clients/python')
const PAGE = 'docs/python.md'

describe.skipIf(!hasPython)('client for Python', () => {
  test.each([
    ['has the form that ruff demands', 'ruff check --no-cache . && $BIN/ruff format --no-cache --check .'],
    ['has the types that mypy demands', 'mypy --cache-dir "$HOME/mypy" conftest.py src tests'],
  ])('default: it %s', async (_, command) => {
    expect(await run(command)).toBe('')
  })

  test.each(interpreters())(
    'default: it passes its tests on Python %s, with the vectors that both verifiers share',
    async (_, path) => {
      // What depends on Python's version or a library's shows in some of the examples. The package has been installed there.
      const [examples, others] = path === executablePath ? [40, ''] : [15, '--ignore tests/test_package.py']
      expect(
        await run(
          `python -m pytest -q -o pythonpath=src tests ${others}`,
          { EXAMPLES: String(examples) },
          path,
        ),
      ).toBe('')
    },
  )
})

describe.skipIf(!hasPython)('client for Python, with the demo', () => {
  let demo: Demo
  let announcement: string
  let url: string
  /** The folder of the snapshots of the demo's datasets. */
  let datasets: string
  /** A snapshot that is in it. */
  let snapshot: string

  beforeAll(async () => {
    if (!hasPython) return
    demo = startDemo()
    announcement = await demo.announcement
    url = /http:\/\/localhost:\d+/.exec(announcement)?.[0] ?? ''
    const folder = dirname(printedSettings(announcement).ATTESTER_KEY_PATH ?? '')
    const feedId = 'EIA.DATASET.ELECTRICITY.RETAIL-SALES.MONTHLY'
    const { source_hash } = await (await fetch(`${url}/v1/feeds/${feedId}`)).json()
    datasets = `${folder}/datasets`
    snapshot = `${datasets}/${feedId.toLowerCase()}/${source_hash}`
  })

  afterAll(() => demo?.[Symbol.asyncDispose]())

  /** The value of an option of `verify`. */
  const hash = (option: string): string => {
    const options = trustOptions(announcement)
    return options[options.indexOf(option) + 1] ?? option
  }

  /** A program with the server and the hashes of the demo. */
  const here = (text: string): string => {
    return text
      .replaceAll('http://localhost:4030', url)
      .replaceAll('datasets/eia.dataset.electricity.retail-sales.monthly/<root>', snapshot)
      .replaceAll('f"datasets/', `f"${datasets}/`)
      .replaceAll('"<block hash>"', `"${hash('--trust')}"`)
      .replaceAll('"<feed registry>"', `"${hash('--feed-registry')}"`)
      .replaceAll('"<attestation registry>"', `"${hash('--attestation-registry')}"`)
  }

  test('default: the examples of its documentation work, and both clients read the same', async () => {
    expect(
      await run(
        'python -m pytest -q -o pythonpath=src --doctest-modules src tests/server tests/frames/test_server.py',
        { WATTFEED_URL: url },
      ),
    ).toBe('')
  })

  test(`default: the programs of ${PAGE} run, one after the other`, async () => {
    await using python = await openPython()
    const page = await Bun.file(join(ROOT, PAGE)).text()
    const calls = [...page.matchAll(/^\| [^|]+ \| `(eia\.[^`]+)` \|/gm)]
    // The demo has the hours of the last days only.
    const recent = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10)
    const compared = calls.map(([, call = '']) => `assert len(${call.replaceAll('2026-11-25', recent)})`)
    expect(compared).toHaveLength(3)
    const plot = snippetsOf(PAGE, 'python').find((program) => program.includes('matplotlib'))
    expect(plot?.trim().split('\n')).toHaveLength(4)
    const program = here([...snippetsOf(PAGE, 'python'), ...compared].join('\n'))
    await Bun.write(`${python.folder}/page.py`, program)
    const { exitCode, stdout, stderr } = await python.shell(
      `export PYTHONPATH="${CLIENT}/src"; "${executablePath}" -W error page.py`,
    )
    // On a slow machine, matplotlib says that it builds its cache of fonts.
    expect([exitCode, stderr.replace(/^Matplotlib is building the font cache.*\n/, '')]).toEqual([0, ''])
    expect(await Bun.file(`${python.folder}/storage.png`).slice(1, 4).text()).toBe('PNG')
    expect(await Bun.file(`${python.folder}/price.png`).slice(1, 4).text()).toBe('PNG')
    const proven =
      /^electricity\/retail-sales monthly price sectorid=RES stateid=CA has \d+ values \(of \d+, root \d+\)$/gm
    expect(stdout.match(proven)).toHaveLength(2)
    expect(stdout).toMatch(/^20\d\d-\d\d-\d\d \d+\.\d+ \$\/bbl$/m)
    expect(stdout).toMatch(/^EIA\.PET\.PRICE\.WTI\.DAILY = \d+\.?\d* \$\/bbl /m)
    const printed = stdout.replace(/ +$/gm, '')
    for (const output of snippetsOf(PAGE, 'text')) expect(printed).toContain(output)
  })

  test.each(['docs/verify.md', 'clients/python/src/wattfeed/verify/README.md'])(
    'default: the program of %s proves a value',
    async (page) => {
      await using python = await openPython()
      const programs = snippetsOf(page, 'python')
      expect(programs).toHaveLength(1)
      await Bun.write(`${python.folder}/verify.py`, here(programs.join('')))
      const ran = await python.shell(
        `export PYTHONPATH="${CLIENT}/src"; "${executablePath}" -W error verify.py`,
      )
      expect(ran).toEqual({
        exitCode: 0,
        stdout: expect.stringMatching(/^EIA\.PET\.PRICE\.WTI\.DAILY = \d+\.?\d* \$\/bbl .*\n$/),
        stderr: '',
      })
    },
  )

  test('default: the program of README.md has three lines and prints a value', async () => {
    const [program = ''] = snippetsOf('README.md', 'python')
    expect(program.match(/^./gm)).toHaveLength(3)
    await using python = await openPython()
    await Bun.write(`${python.folder}/readme.py`, here(program))
    const ran = await python.shell(
      `export PYTHONPATH="${CLIENT}/src"; "${executablePath}" -W error readme.py`,
    )
    expect(ran).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+ \$\/bbl 20\d\d-\d\d-\d\d\n$/),
      stderr: '',
    })
  })

  test('default: the explorer’s snippet reads its feed, whatever characters the id has', async () => {
    await using python = await openPython()
    const runSnippet = (id: string) => {
      const snippet = snippetsOfFeed(url, id).find(({ name }) => name === 'Python')?.code ?? ''
      return python.shell(`export PYTHONPATH="${CLIENT}/src"; "${executablePath}" -c "$(cat <<'SNIPPET'
${snippet}
SNIPPET
)"`)
    }
    const { stdout } = await runSnippet('EIA.PET.PRICE.WTI.DAILY')
    expect(stdout).toMatch(/^20\d\d-\d\d-\d\d \d+\.\d+ \$\/bbl\n$/)
    const hostile = `a'b"c$(touch x)\`\\💡é#{y}`
    expect((await runSnippet(hostile)).stderr).toContain(`feed not found on-chain: ${hostile}`)
  })

  describe('the proof of a data set', () => {
    let python: Python
    let lines: readonly string[]
    let trust: readonly string[]

    beforeAll(async () => {
      if (!hasPython) return
      python = await openPython()
      trust = trustOptions(announcement)
      const settings = printedSettings(announcement)
      const full = { ...settings, VERIFY: 'full', TRUSTED_BLOCK_HASH: settings.GENESIS_HASH ?? '' }
      const out = join(python.folder, 'data')
      const { exitCode, stderr } = await runToEnd([...wattfeed('export'), '--out', out, '--proofs'], full)
      expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, ''])
      lines = (await Bun.file(join(out, '_proofs.jsonl')).text()).split(/(?<=\n)/)
    })

    afterAll(() => python?.[Symbol.asyncDispose]())

    /** The last link of either verifier, and whether it holds. */
    async function verdicts(changed: readonly string[]): Promise<unknown[]> {
      const path = join(python.folder, 'changed.jsonl')
      await Bun.write(path, changed.join(''))
      const words = [path, ...trust, '--json']
      const ran = await Promise.all([
        runToEnd([...wattfeed('verify'), ...words]),
        python.shell(
          `PYTHONPATH="${CLIENT}/src" "${executablePath}" -m wattfeed verify ${words.map((word) => `'${word}'`).join(' ')}`,
        ),
      ])
      return ran.map(({ stdout }) => {
        const { proven, data_set, links = [], error } = JSON.parse(stdout)
        // The last link of the other verifier says whether it compared rows.
        const { link, holds } = links.filter(({ link }: { link: string }) => link !== 'manifest').at(-1) ?? {}
        return { proven, data_set, link, holds, isUnreadable: error !== undefined }
      })
    }

    test('default: both verifiers find the same facts', async () => {
      const [theirs, own] = await verdicts(lines)
      expect(own).toEqual(theirs)
      expect(own).toMatchObject({ proven: true, link: 'end of the file', data_set: { feeds: 38 } })
    })

    test.each<[string, (at: number) => readonly string[]]>([
      ['without a line', (at) => lines.toSpliced(at, 1)],
      ['with a line twice', (at) => lines.toSpliced(at, 0, lines[at] ?? '')],
      ['with a changed element', (at) => lines.with(at, (lines[at] ?? '').replace(/\w{4}(?="|=)/, 'abcd'))],
      ['cut off', (at) => lines.slice(0, at)],
      ['without the end of its last line', () => lines.with(-1, (lines.at(-1) ?? '').trimEnd())],
      ['without padding', () => lines.map((line) => line.replace(/=+/, ''))],
      ['without a block', () => lines.toSpliced(1, 1)],
    ])('behavior: both verifiers have the same verdict on one %s', async (_, change) => {
      const [theirs, own] = await verdicts(change(Math.ceil(lines.length * 0.4)))
      expect(own).toEqual(theirs)
    })
  })

  test(`default: the commands of ${PAGE} run`, async () => {
    await using python = await openPython()
    const commands = snippetsOf(PAGE, 'sh')
      .filter((block) => !block.startsWith('pip '))
      .join('\n')
      .replace(/(--[\w-]+) <[\w ]+>/g, (_, option) =>
        option === '--chain-name' ? `${option} casper-devnet` : `${option} ${hash(option)}`,
      )
    const { exitCode, stdout, stderr } = await python.shell(
      `export PYTHONPATH="${CLIENT}/src" WATTFEED_URL="${url}"
      python() { "${executablePath}" "$@"; }
      ${here(commands)}`,
    )
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toContain('feed_id,unit,index,period,')
    expect(stdout).toMatch(/^natural-gas\/stor\/wkly /m)
    expect(stdout).toMatch(/^column,sectorid,stateid,period,value,unit,number,leaf_index$/m)
    expect(stdout).toMatch(/^root [0-9a-f]{64}, attested 20/m)
    expect(stdout).toMatch(/^prices\.csv: \d+ bytes$/m)
    expect(stdout).toMatch(/^wti\.parquet: \d+ bytes$/m)
    expect(stdout).toMatch(/^proven: EIA\.PET\.PRICE\.WTI\.DAILY = /m)
  })
})

/** The versions with the packages of the tests, and their programs: the one of all tests, and those of `.ci/run`. */
function interpreters(): [version: string, path: string][] {
  const others = [...new Bun.Glob('.venv-*/bin/python').scanSync({ cwd: ROOT, dot: true, onlyFiles: false })]
  return [executablePath, ...others.sort().map((path) => join(ROOT, path))].map((path) => [
    versionOf(path),
    path,
  ])
}

function versionOf(path: string): string {
  if (!existsSync(path)) return `of ${path}`
  const program = 'import platform; print(platform.python_version())'
  return Bun.spawnSync([path, '-c', program]).stdout.toString().trim()
}

/** Runs a program of Python in the client's folder. Returns its output if it fails. */
async function run(
  command: string,
  env: Readonly<Record<string, string>> = {},
  path = executablePath,
): Promise<string> {
  await using python = await openPython()
  const settings = Object.entries(env).map(([name, value]) => `export ${name}="${value}";`)
  const { exitCode, stdout, stderr } = await python.shell(
    `cd "${CLIENT}"; BIN="$(dirname "${path}")"; ${settings.join(' ')} $BIN/${command}`,
  )
  return exitCode === 0 ? '' : stdout + stderr
}
