import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { agentSettings } from '../src/agent/settings/agentSettings.ts'
import { agentCommand } from '../src/agent.ts'
import { readMembers } from '../src/committee/membersFile.ts'
import { committeeCommand } from '../src/committee.ts'
import { contractsCommand } from '../src/contracts.ts'
import { datasetsCommand } from '../src/datasets.ts'
import { demoSettings } from '../src/demo/demoSettings.ts'
import { demoCommand } from '../src/demo.ts'
import { createDevnet, type Devnet, installRegistries, startDevnet } from '../src/devnet/index.ts'
import { devnetCommand } from '../src/devnet.ts'
import { doctorCommand } from '../src/doctor.ts'
import { eligibilityCommand } from '../src/eligibility.ts'
import { exportCommand } from '../src/export.ts'
import { feedsCommand } from '../src/feeds.ts'
import { forwardSettings } from '../src/forward/settings.ts'
import { forwardCommand } from '../src/forward.ts'
import { mcpCommand } from '../src/mcp.ts'
import { proverSettings } from '../src/operator/eligibility/packages.ts'
import { contractsSettings } from '../src/operator/settings.ts'
import { devnetSettings } from '../src/runtime/settings/listenSettings.ts'
import { seriesCommand } from '../src/series.ts'
import { healthCommand, serveCommand } from '../src/serve.ts'
import { serverSettings } from '../src/server/settings.ts'
import { transactionCommand } from '../src/transaction.ts'
import { verifyCommand } from '../src/verify.ts'
import { type Program, runToEnd, startProgram } from './support/program.ts'
import { pages, readPage, shownCommands, simpleCommands, snippetsOf } from './support/snippets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const programs: Readonly<Record<string, Command>> = {
  agent: agentCommand,
  contracts: contractsCommand,
  datasets: datasetsCommand,
  demo: demoCommand,
  devnet: devnetCommand,
  doctor: doctorCommand,
  eligibility: eligibilityCommand,
  committee: committeeCommand,
  export: exportCommand,
  feeds: feedsCommand,
  forward: forwardCommand,
  health: healthCommand,
  mcp: mcpCommand,
  serve: serveCommand,
  series: seriesCommand,
  start: serveCommand,
  transaction: transactionCommand,
  verify: verifyCommand,
}

const settings = [
  serverSettings,
  agentSettings,
  contractsSettings,
  demoSettings,
  proverSettings,
  devnetSettings,
  forwardSettings,
].flatMap(({ properties }) => Object.keys(properties))

/** The commands by name, as in `wattfeed --help`. */
const indexMap = new Command('wattfeed').version('')
for (const name of Object.keys(programs)) if (name !== 'start') indexMap.command(name)

/** Shown commands that nothing checks here, with the reason. */
const unchecked: Readonly<Record<string, string>> = {
  '.': 'the shell’s',
  'apt-get': 'needs Debian’s packages',
  awk: 'tests/recipes runs it',
  bun: 'bun install, of Bun itself',
  './build': 'builds a contract; contracts/check-examples does what the page says',
  cargo: 'contracts/check-examples does what the page says',
  cd: 'the shell’s',
  chmod: 'the system’s',
  cp: 'the system’s',
  date: 'the system’s',
  echo: 'the shell’s',
  editor: 'tests/deploy/install.integration.test.ts runs it',
  grafana: 'not available to tests',
  grep: 'the system’s',
  install: 'tests/deploy/install.integration.test.ts runs it',
  journalctl: 'tests/deploy/install.integration.test.ts runs it',
  jq: 'tests/recipes runs it',
  docker: 'needs a daemon and images; tests/binary.integration.test.ts builds what `docker build` would',
  kill: 'the shell’s',
  mkdir: 'the system’s',
  mv: 'the system’s',
  nginx: 'tests/deploy/install.integration.test.ts runs it',
  npm: 'tests/package.integration.test.ts and tests/cli.integration.test.ts pack and install the packages',
  openssl: 'makes a key; packages/casper/tests/transaction/signer.test.ts reads such keys',
  pip: 'clients/python/tests/test_package.py installs the package',
  promtool: 'tests/deploy/install.integration.test.ts runs it',
  python: 'tests/python/client.integration.test.ts runs them',
  rm: 'the system’s',
  rustup: 'the compiler’s',
  set: 'the shell’s',
  source: 'the shell’s',
  soffice: 'tests/recipes runs it',
  sqlite3: 'tests/forward/state.integration.test.ts runs its statements',
  systemctl: 'tests/deploy/install.integration.test.ts runs it',
  timedatectl: 'systemd’s',
  umask: 'the system’s',
  workerd: 'an edge runtime; tests/scale/edge.integration.test.ts runs it so',
}

/** The faults of a command on a page. In a block it has all that it needs. */
function faultsOf(words: readonly string[], isWhole: boolean): string[] {
  const start = words.findIndex((word) => !/^[A-Z][A-Z0-9_]*=/.test(word))
  const [assignments, command] = start === -1 ? [words, []] : [words.slice(0, start), words.slice(start)]
  const names = [...assignments, ...(command[0] === 'export' ? command.slice(1) : [])].map(
    (word) => word.split('=', 1)[0] ?? '',
  )
  const unknown = names.filter((name) => !settings.includes(name)).map((name) => `${name} is no setting`)
  return [...unknown, ...commandFaults(command, isWhole)]
}

function commandFaults([first = '', ...rest]: readonly string[], isWhole: boolean): string[] {
  if (first === 'npx' && /^(file:\/tmp\/)?wattfeed-cli/.test(rest[0] ?? ''))
    return commandFaults(['wattfeed', ...rest.slice(1)], isWhole)
  if (first === 'npx' && rest[0] === 'bun') return []
  // npx -y bun@1.4.4
  if (first === 'npx') return commandFaults(['bun', ...rest.slice(2)], isWhole)
  const [second = '', ...others] = rest
  if (first === 'bun' && second === 'run') return scriptFaults(others, isWhole)
  if (first === 'bun' && second === 'src/index.ts') return argumentFaults(indexMap, others, isWhole)
  if (first.endsWith('wattfeed')) return argumentFaults(indexMap, rest, isWhole)
  if (first === 'docker' && second === 'run') return imageFaults(others, isWhole)
  return ['', 'export', 'curl'].includes(first) || first in unchecked ? [] : [`${first} is not known here`]
}

/** The faults of `docker run` with the image `wattfeed`, whose entry point is the binary. */
function imageFaults(words: readonly string[], isWhole: boolean): string[] {
  const names = words.flatMap((word, index) =>
    words[index - 1] === '-e' ? [word.split('=', 1)[0] ?? ''] : [],
  )
  const unknown = names.filter((name) => !settings.includes(name)).map((name) => `${name} is no setting`)
  return [...unknown, ...argumentFaults(indexMap, words.slice(words.lastIndexOf('wattfeed') + 1), isWhole)]
}

function scriptFaults([script = '', ...args]: readonly string[], isWhole: boolean): string[] {
  if (!(script in manifest.scripts)) return [`there is no script ${script}`]
  const program = programs[script]
  return program === undefined ? [] : argumentFaults(program, args, isWhole)
}

/** Compares arguments with a command's declaration. */
function argumentFaults(command: Command, args: readonly string[], isWhole: boolean): string[] {
  const [first, ...others] = args
  const inner = command.commands.find((each) => each.name() === first)
  // The map has programs by name only, and one of them may have a command with the name of another.
  const whole = inner && command === indexMap ? programs[inner.name()] : inner
  if (inner !== undefined) return argumentFaults(whole ?? inner, others, isWhole)
  const isOption = (word: string): boolean => /^--?[a-z]/i.test(word)
  const options = args.filter(isOption).map((word) => ({
    word,
    option: [...command.options, command.createOption('--help')].find(({ long, short }) =>
      [long, short].includes(word),
    ),
  }))
  const values = options.filter(({ option }) => option?.required === true).length
  const operands = args.length - options.length - values
  const needed = command.registeredArguments
  const least = needed.filter(({ required }) => required).length
  const isVariadic = [needed.at(-1), ...options.map(({ option }) => option)].some((each) => each?.variadic)
  const most = isVariadic ? Number.POSITIVE_INFINITY : needed.length
  const isHelp = options.some(({ word }) => word === '--help')
  return [
    ...options
      .filter(({ option }) => option === undefined)
      .map(({ word }) => `${command.name()} has no ${word}`),
    ...(operands > most ? [`${command.name()} knows no ${args.join(' ')}`] : []),
    ...(isWhole && !isHelp && operands < least ? [`${command.name()} needs ${least} arguments`] : []),
    ...(isWhole && !isHelp
      ? command.options
          .filter(({ mandatory, long }) => mandatory && !options.some(({ word }) => word === long))
          .map(({ long }) => `${command.name()} needs ${long}`)
      : []),
  ]
}

describe.each([...pages])('%s', (page) => {
  test('behavior: every command in its blocks exists, and has all required arguments', () => {
    expect(shownCommands(page).flatMap(({ words }) => faultsOf(words, true))).toEqual([])
  })

  test('behavior: every command in its text exists', () => {
    const inText = readPage(page)
      .replace(/^```.*?^```$/gms, '')
      .matchAll(/`((?:[A-Z_]+=\S+ )*(?:npx|bun|wattfeed|dist\/wattfeed) [^`]+)`/g)
    const commands = [...inText].flatMap(([, text = '']) => simpleCommands(text.replace(/[[\]]/g, '')))
    expect(commands.flatMap((words) => faultsOf(words, false))).toEqual([])
  })
})

test('behavior: every block is in a language that is checked here, or a drawing', () => {
  const languages = pages.flatMap((page) =>
    [...readPage(page).matchAll(/^```(\w+)$/gm)].map(([, name]) => name),
  )
  // Python and SQL are run in tests/python/data.integration.test.ts; what docs/recipes.md has, in tests/recipes; HTML is compared in
  // tests/server/embed/page.test.ts.
  const checked = [
    ...[
      'console',
      'html',
      'js',
      'json',
      'mermaid',
      'powerquery',
      'python',
      'r',
      'rust',
      'sh',
      'sql',
      'text',
      'ts',
    ],
    'yaml',
  ]
  expect([...new Set(languages)].sort()).toEqual(checked)
})

/** A command and its subcommands. */
const withInner = (command: Command): Command[] => [command, ...command.commands.flatMap(withInner)]

test.each(Object.entries(programs))('behavior: the examples in the help of %s', (_, program) => {
  for (const command of withInner(program)) {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    const examples = [
      ...help.replace(/\\\n\s*/g, '').matchAll(/^ {2}(?:\$ )?((?:[A-Z_]+=\S+ )*bun run .*)$/gm),
    ]
    const words = examples
      .flatMap(([, line = '']) => simpleCommands(line))
      .filter(([first]) => first !== 'jq')
    expect(words.flatMap((each) => faultsOf(each, true))).toEqual([])
  }
})

test('docs/consume-a-feed.md > default: its excerpts of the consumer exist', async () => {
  const source = await Bun.file(join(root, 'contracts/examples/consumer/src/lib.rs')).text()
  const blocks = snippetsOf('docs/consume-a-feed.md', 'rust')
  expect(blocks.filter((block) => !source.includes(block))).toEqual([])
})

test('docs/series-in-contracts.md > default: its excerpt of the crate’s example exists', async () => {
  const source = await Bun.file(join(root, 'contracts/wattfeed/src/series.rs')).text()
  const example = source.replaceAll(/^\/\/! */gm, '')
  const [block = 'none'] = snippetsOf('docs/series-in-contracts.md', 'rust')
  expect(example).toContain(block.replaceAll(/^ +/gm, '').trim())
})

test('docs/committee.md > default: its members file is valid', async () => {
  using folder = createFolder()
  const [file = ''] = snippetsOf('docs/committee.md', 'json')
  expect((await readMembers(folder.write('members.json', file))).members).toHaveLength(3)
})

describe('the checker of commands', () => {
  test.each([
    ['bun run nope', 'there is no script nope'],
    ['bun run feeds lst', 'feeds knows no lst'],
    ['bun run agent --twice', 'agent has no --twice'],
    ['wattfeed verify proof.json', 'verify needs --trust'],
    ['npx -y bun@1.4.4 run feeds history', 'history needs 1 arguments'],
    ['npx wattfeed-cli demo --twice', 'demo has no --twice'],
    ['FEED_FILE=a bun run feeds list', 'FEED_FILE is no setting'],
    ['export PORTS=1', 'PORTS is no setting'],
    ['docker run -e HOSTS=a wattfeed demo', 'HOSTS is no setting'],
    ['docker run --rm wattfeed demo --committees', 'demo has no --committees'],
    ['make it', 'make is not known here'],
  ])('error: %s: %s', (line, fault) => {
    expect(simpleCommands(line).flatMap((words) => faultsOf(words, true))).toEqual([fault])
  })
})

test('docs/deploy.md > default: its map of commands matches --help', async () => {
  const { stdout } = await runToEnd([process.execPath, join(root, 'src/index.ts'), '--help'])
  expect(snippetsOf('docs/deploy.md', 'text')).toEqual([stdout])
})

describe('the examples of server answers in the pages', () => {
  let server: Program
  let node: Awaited<ReturnType<typeof startRecordedNode>>

  beforeAll(async () => {
    node = await startRecordedNode()
    server = await startProgram([process.execPath, join(root, 'src/index.ts')], {
      CASPER_RPC_URL: node.url,
      CASPER_CHAIN_NAME: node.chainName,
      FEED_REGISTRY_PACKAGE_HASH: node.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: node.attestationRegistryPackageHash.replace(/^hash-/, ''),
    })
  })
  afterAll(async () => {
    server.kill()
    await node.stop()
  })

  /** The JSON of an answer, which a page breaks into lines. */
  const jsonOf = (text: string): unknown => JSON.parse(text.slice(text.indexOf('{')).replace(/\n\s*/g, ''))

  /** The same, with varying numbers replaced by their types. */
  const steady = (text: string): string => text.replace(/"(root_age_ms|rpc_ms|block_age_ms)":\d+/g, '"$1":0')

  const shownCurls = pages
    .flatMap((page) => shownCommands(page).map((shown) => ({ ...shown, page })))
    .filter(({ words, output }) => words[0] === 'curl' && output.includes('{'))
  const isStream = ({ words }: { words: readonly string[] }) => words.includes('-N')
  const curls = shownCurls.filter((each) => !isStream(each))
  const streams = shownCurls
    .filter(isStream)
    .map(({ page, words, output }) => [page, words.at(-1) ?? '', output] as const)
  const answersOf = (isShortened: boolean) =>
    curls
      .filter(({ output }) => output.includes('…') === isShortened)
      .map(({ page, words, output }) => [page, words.at(-1) ?? '', output] as const)
  const ask = (url: string): Promise<Response> =>
    fetch(url.replace('localhost:4030', new URL(server.url).host).replace(/^(?!http)/, 'http://'))

  test.each(answersOf(false))('%s > default: the answer of %s matches the page', async (_, url, output) => {
    const answer = await ask(url)
    const text = await answer.text()
    expect(jsonOf(steady(text))).toEqual(jsonOf(steady(output)))
    const shown = [...output.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value])
    expect(shown).toEqual(shown.map(([name = '']) => [name, answer.headers.get(name) ?? '']))
  })

  test.each(answersOf(true))(
    '%s > default: %s answers with the fields that it shows',
    async (_, url, output) => {
      const fields = Object.keys(await (await ask(url)).json())
      const shown = [...output.matchAll(/"(\w+)":/g)].map(([, name = '']) => name)
      expect(shown.filter((name) => !fields.includes(name))).toEqual([])
    },
  )

  /** The blocks of a stream, without comments; a page breaks their data into lines. */
  const blocksOf = (text: string): string[] =>
    text
      .replace(/\n /g, '')
      .split('\n\n')
      .map((block) => block.trim())
      .filter((block) => block !== '' && block !== ':')

  test.each(streams)('%s > default: %s starts as it shows', async (_, url, output) => {
    const shown = blocksOf(output)
    const reader = (await ask(url)).body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (blocksOf(text).length < shown.length || !text.endsWith('\n\n')) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    await reader?.cancel()
    expect(blocksOf(text).slice(0, shown.length)).toEqual(shown)
  })

  test('behavior: the list is complete', () => expect([curls.length, streams.length]).toEqual([15, 2]))
})

// docs/devnet.md's is run as a project of its own in tests/cli.integration.test.ts.
const snippets = pages
  .filter((page) => page !== 'docs/devnet.md')
  .flatMap((page) =>
    snippetsOf(page, 'ts').map((source, index) => ({ name: `${page} ${index + 1}`, source })),
  )

describe('the programs of the pages', () => {
  let folder: Folder
  let devnet: Devnet
  let endpoint: Awaited<ReturnType<typeof startDevnet>>
  /** Those of the chain. */
  let chainSettings: Record<string, string>
  let server: Program

  /** What a page takes for granted, where it does. */
  const preamble = (source: string): string =>
    [
      ["import { createClient, WattfeedError } from 'wattfeed'", !source.includes("from 'wattfeed'")],
      ['const client = createClient()', !source.includes('const client =')],
      ["const retryLater = (): void => console.log('later')", source.includes('retryLater')],
    ]
      .flatMap(([line, isMissing]) => (isMissing ? [`${line}\n`] : []))
      .join('')

  const fileOf = (name: string): string => join(folder.path, `${name.replace(/\W+/g, '_')}.ts`)

  beforeAll(async () => {
    folder = createFolder()
    devnet = createDevnet()
    const registries = await installRegistries(devnet)
    await registries.registerFeed('EIA.PET.PRICE.WTI.DAILY', { decimals: 2, unit: '$/bbl' })
    await registries.attest('EIA.PET.PRICE.WTI.DAILY', { amount: 7004n, period: 20261120 })
    endpoint = await startDevnet(devnet)
    const network = { rpcUrls: [endpoint.url], chainName: devnet.chainName, ...registries }
    chainSettings = {
      CASPER_RPC_URL: endpoint.url,
      CASPER_CHAIN_NAME: devnet.chainName,
      FEED_REGISTRY_PACKAGE_HASH: registries.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: registries.attestationRegistryPackageHash,
    }
    server = await startProgram([process.execPath, join(root, 'src/index.ts')], chainSettings)
    const library = join(root, 'packages/wattfeed/src/client/index.ts')
    await Bun.write(
      join(folder.path, 'wattfeed.ts'),
      `import { type ClientOptions, createClient as create } from '${library}'
export * from '${library}'
export const createClient = (options: ClientOptions = {}) => create({ ...${JSON.stringify(network)}, ...options })`,
    )
    const typeRoots = [join(root, 'node_modules')]
    const entry = (name: string) => [
      `wattfeed/${name}`,
      [join(root, `packages/wattfeed/src/${name}/index.ts`)],
    ]
    const paths = {
      wattfeed: ['./wattfeed.ts'],
      ...Object.fromEntries(['history', 'live', 'provenance', 'series'].map(entry)),
    }
    const compilerOptions = { typeRoots, paths }
    await Bun.write(
      join(folder.path, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
    )
    const here = (source: string): string =>
      source.replace("'…'", `'${devnet.genesisHash}'`).replace('http://localhost:4030', server.url)
    for (const { name, source } of snippets) await Bun.write(fileOf(name), preamble(source) + here(source))
  })
  afterAll(async () => {
    server.kill()
    await endpoint.stop()
    await devnet.stop()
    folder[Symbol.dispose]()
  })

  test('default: check in strict TypeScript', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await runToEnd([process.execPath, tsc, '-p', folder.path, '--checkers', '1'])
    expect(stdout).toBe('')
  })

  // A module worker is run in tests/scale/edge.integration.test.ts: here it would serve for ever.
  const programs = snippets.filter(({ source }) => !source.includes('export default'))
  test.each(programs.map(({ name }) => name))('default: %s runs, and throws nothing', async (name) => {
    const { exitCode, stderr } = await runToEnd([process.execPath, fileOf(name)], chainSettings, folder.path)
    expect([exitCode, stderr]).toEqual([0, ''])
  })
})
