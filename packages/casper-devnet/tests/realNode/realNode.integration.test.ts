import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { memberAt } from '@wattfeed/base'
import { startDevnet } from '../../src/rpc/startDevnet.ts'
import { compareAnswers, createTransactionComparison, replaceEach } from './compare.ts'
import {
  isWhole,
  type RecordedAnswer,
  type RecordedTransaction,
  readAnswers,
  readTransactions,
  senderOf,
  skipWord,
} from './recording.ts'
import { createReplay, type Replay } from './replay.ts'
import { sendRaw } from './requests.ts'

const transactions = readTransactions()
const answers = readAnswers()

/** The block after which the recorded calls were made, and the time of the first transaction among them. */
const ASKED_HEIGHT = 355
const ASKED_AT = '2026-11-22T00:32:39.060Z'

/** Names of recorded calls with a different answer, as docs/devnet.md lists them. */
const listed = new Set(
  readFileSync(new URL('../../../../docs/devnet.md', import.meta.url), 'utf8')
    .split('## Where it differs from a node')[1]
    ?.split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) =>
      Array.from((line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g), ([, name = '']) => name),
    ),
)

/** Returns a function that replaces recorded hashes by those of this chain. */
async function translator(replay: Replay): Promise<(value: unknown) => unknown> {
  const { chain, answer } = replay
  const [{ hash, stateRootHash, proposer }, switchBlock] = [chain.tip(), chain.latestSwitchBlock()]
  const sender = { account_identifier: senderOf(transactions[0] ?? raise()) }
  const purse = memberAt(await answer('state_get_account_info', sender), 'result', 'account', 'main_purse')
  const ours = new Map([
    ['a056762a9625d785eacf43dff14735493e03776c95c0f849089c7ac3cb9a90f7', hash],
    ['52c7f82a1c13bbbf8f2ee96ebdb50f4c71ccf7453253f748d59b0c5fd42674ff', stateRootHash],
    ['a12d8fd53adbe1bbcb19458f215771bd8ff12c6b0dcea7e21dc6fe3512dd6e6c', switchBlock.hash],
    ['b71dfee84d6e7e9e8322bc427a2c1fc53bacaec8a16ee64d52c75bc1c3b43644', String(purse).slice(5, 69)],
    ['01e7311818db60572065bf0331e7bb055aad4bfbbf0b69ca84ddcbff4c2244eaef', proposer],
  ])
  for (const [registry, recordings] of Object.entries(recordedRegistries))
    for (const [index, recorded] of recordings.entries())
      ours.set(recorded, await registered(replay, registry, index))
  const upperCase = new Map([...ours].map(([from, to]) => [from.toUpperCase(), to.toUpperCase()]))
  return (value) => JSON.parse(replaceEach(replaceEach(JSON.stringify(value ?? null), ours), upperCase))
}

/**
 * Values of registries that every chain has of its own, in their order: hashes of system contracts, and the checksums of a block. The
 * effects in it name purses, and `fixtures/chain` does not have its transactions.
 */
const recordedRegistries: Record<string, readonly string[]> = {
  'system-entity-registry': [
    '4d76f8ae133bb85d6f7eb2ee3d31258ebaea8b5b57c96b13dc928c2f12c7501e',
    'ef9646a04963f0081b779737732dbe4d7a9440e315e6a2e8f1fd39028995c5a0',
    '144709b7c747bb60f03f18ae1e3da6c3c0bc977a2e08673bad10911084e3d22b',
  ],
  'checksum-registry': [
    '3b84263ad900b93d28c31f04b3b666356fdd1a706ef5b1106750f81dd6e6986c',
    '9806821d94066c3484703ed20c34325eaaefb754700af1383e5b27c329f5a508',
  ],
}

/** Returns a value in a registry of this chain. */
async function registered({ answer }: Replay, registry: string, index: number): Promise<string> {
  const found = await answer('query_global_state', { key: `${registry}-${'0'.repeat(64)}`, path: [] })
  const parsed = memberAt(found, 'result', 'stored_value', 'CLValue', 'parsed')
  return String(memberAt(Array.isArray(parsed) ? parsed[index] : null, 'value'))
}

const raise = (): never => {
  throw new Error('the recording is empty')
}

/** The recording cuts long arguments, which repeat their last byte. */
const restore = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null).replace(/([0-9a-f]+)…\((\d+) characters\)/g, (_, start: string, count) =>
      start.padEnd(Number(count), start.slice(-2)),
    ),
  )

const hashOf = ({ params }: RecordedAnswer): string =>
  String(memberAt(params, 'transaction', 'Version1', 'hash'))

const executedAt = new Map(transactions.map(({ hash, height }, index) => [hash.Version1, { height, index }]))

/** Sends the transactions of a block in the node's order of execution: by lane and hash. */
function inOrder(recorded: readonly RecordedAnswer[]): RecordedAnswer[] {
  const indexOf = (each: RecordedAnswer): number => executedAt.get(hashOf(each))?.index ?? 0
  const isSent = (each: RecordedAnswer): boolean => executedAt.has(hashOf(each))
  const sent = recorded.filter(isSent).sort((a, b) => indexOf(a) - indexOf(b))
  const at = recorded.findIndex(isSent)
  const others = recorded.filter((each) => !isSent(each))
  return [...others.slice(0, at), ...sent, ...others.slice(at)]
}

let replay: Replay
let translate: (value: unknown) => unknown
const given = new Map<string, unknown>()

/** Makes the recorded calls at the recorded time. */
async function ask(): Promise<void> {
  const { answer } = replay
  await using endpoint = await startDevnet({ call: answer })
  const hashes = new Map(answers.map((each) => [each.name.replace(/^put /, ''), hashOf(each)]))
  for (const { name, method, params } of inOrder(answers)) {
    const [, time, of = ''] = /^(pending|executed) (.*)/.exec(name) ?? []
    if (time === 'executed') await replay.advance(ASKED_HEIGHT + 1)
    const asked = time === undefined ? params : { transaction_hash: { Version1: hashes.get(of) } }
    given.set(
      name,
      method === 'raw'
        ? { result: await sendRaw(endpoint, name) }
        : await answer(method, asked === undefined ? undefined : restore(translate(asked))),
    )
  }
}

beforeAll(async () => {
  replay = createReplay(transactions)
  await replay.advance(ASKED_HEIGHT)
  translate = await translator(replay)
  replay.setTime(ASKED_AT)
  await ask()
  await replay.advance(transactions.at(-1)?.height ?? 0)
})

describe('responses of a real node', () => {
  test.each(answers.map((each) => [each.name, each] as const))('default: %s', (name, { result, error }) => {
    const expected = translate(error === undefined ? { result } : { error })
    const differences = compareAnswers(given.get(name), expected)
    if (listed.has(name)) expect(differences, 'docs/devnet.md lists it as different').not.toBeEmpty()
    else expect(differences).toBeEmpty()
  })

  test('default: docs/devnet.md lists recorded calls only', () => {
    const names = new Set([...answers.map(({ name }) => name), 'discover'])
    expect([...listed].filter((name) => !names.has(name))).toBeEmpty()
    expect(listed.size).toBeGreaterThan(5)
  })
})

/** Returns this chain's transaction and the recorded one. */
async function bothOf(recorded: RecordedTransaction): Promise<[actual: unknown, expected: unknown]> {
  const { transaction, execution_info: info } = recorded.result
  const found = await replay.find(recorded)
  const ours = memberAt(found, 'execution_info')
  // The network had been upgraded before the last transactions.
  const result = JSON.parse(JSON.stringify(info.execution_result).replaceAll('"2.0.1"', '"2.0.0"'))
  return [
    [memberAt(found, 'transaction'), memberAt(ours, 'block_height'), memberAt(ours, 'execution_result')],
    [transaction, info.block_height, result],
  ]
}

describe(`a real node’s transactions${skipWord}`, () => {
  const comparison = createTransactionComparison()
  const differences: (string | null)[] = []
  beforeAll(async () => {
    for (const each of transactions) differences.push(comparison.compare(...(await bothOf(each))))
  })

  test.each(transactions.map((_, index) => index))(
    'default: transaction %d: limit, gas, cost, refund, error, transfers and all effects',
    (index) => {
      expect(differences[index]).toBeNull()
    },
  )

  test('behavior: each recorded purse is one purse here', () => {
    expect(new Set(comparison.purses.values()).size).toBe(comparison.purses.size)
    expect(comparison.purses.size).toBeGreaterThan(3)
  })

  test('behavior: a changed figure is detected', async () => {
    const [actual, expected] = await bothOf(transactions[0] ?? raise())
    const changed = JSON.parse(JSON.stringify(expected).replace('"consumed":"1', '"consumed":"2'))
    expect(comparison.compare(actual, changed)).toContain('"consumed"')
  })
})

test.skipIf(!isWhole)('behavior: the fixtures are a part of the whole recording', () => {
  const fixtures = new URL('../../../../fixtures/chain/', import.meta.url).pathname
  const part = readTransactions(fixtures).map(({ result }) => result.transaction)
  expect(part).toEqual(transactions.slice(0, part.length).map(({ result }) => result.transaction))
  expect(readAnswers(fixtures)).toEqual(answers.filter(({ name }) => name !== 'discover'))
})
