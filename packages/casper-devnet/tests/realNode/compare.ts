import { blake2b } from '../../src/blake2b.ts'

/** Facts that differ on every chain: blocks, their times and signatures, state roots, stakes and rewards. */
const chosen =
  /\.(?:block_hash|parent_hash|state_root_hash|body_hash|accumulated_seed|random_bit|last_switch_block_hash|starting_state_root_hash|signature|bonding_purse|merkle_proof|total_balance_proof|build_version|uptime|last_progress|rewards|weight|staked_amount|amount|reward_amount|header\.timestamp|block\.Version2\.hash)$/

/** Purses at genesis differ, too. */
const withoutPurses = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null).replace(/balance-(hold-01)?[0-9a-f]{64}/g, 'balance-$1purse'))

/**
 * Returns the differences between an answer and the recorded one: fields, their order, kinds of values, and values that
 * every chain has in common. The recording cuts long texts (`…(74 characters)`) and lists (`…(14 in all)`).
 */
export function compareAnswers(actual: unknown, expected: unknown): string[] {
  return compare(withoutPurses(actual), withoutPurses(expected), '')
}

function compare(actual: unknown, expected: unknown, path: string): string[] {
  const differs = [`${path}: ${excerpt(actual)} instead of ${excerpt(expected)}`]
  if (typeof expected === 'string' && /^cut|…\(/.test(expected)) return actual === undefined ? differs : []
  if (kindOf(actual) !== kindOf(expected)) return differs
  if (chosen.test(path)) return []
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const [, count = expected.length] = /^…\((\d+) in all\)$/.exec(String(expected.at(-1))) ?? []
    if (actual.length !== Number(count)) return [`${path}: ${actual.length} instead of ${count} in the list`]
    return expected.flatMap((each, index) => compare(actual[index], each, `${path}[${index}]`))
  }
  if (kindOf(expected) !== 'map') return actual === expected ? [] : differs
  const [names, others] = [Object.keys(Object(expected)), Object.keys(Object(actual))]
  if (names.join() !== others.join()) return [`${path}: fields ${others} instead of ${names}`]
  return names.flatMap((name) => compare(Object(actual)[name], Object(expected)[name], `${path}.${name}`))
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' ? 'map' : typeof value
}

const excerpt = (value: unknown): string => String(JSON.stringify(value)).slice(0, 200)

const PURSE = /balance-(?:hold-01)?([0-9a-f]{64})/g
const STORED_WASM = /("ContractWasm":\{"bytes":")([0-9a-f]+)"/

/** Compares executed transactions byte by byte, after replacing the purses of one chain by those of the other. */
export function createTransactionComparison() {
  const purses = new Map<string, string>()
  return {
    /** Returns the first difference, or null. */
    compare(actual: unknown, expected: unknown): string | null {
      const [ours, theirs] = [actual, expected].map((each) => hashWasm(JSON.stringify(each ?? null)))
      if (ours === undefined || theirs === undefined) return 'nothing to compare'
      const found = pursesIn(ours)
      for (const [index, purse] of pursesIn(theirs).entries())
        if (!purses.has(purse)) purses.set(purse, found[index] ?? '')
      const translated = replaceEach(theirs, purses)
      return ours === translated ? null : firstDifference(ours, translated)
    },
    purses,
  }
}

/** Replaces each key of a map by its value. */
export const replaceEach = (text: string, values: ReadonlyMap<string, string>): string =>
  [...values].reduce((replaced, [from, to]) => replaced.replaceAll(from, to), text)

const pursesIn = (text: string): string[] => Array.from(text.matchAll(PURSE), ([, purse = '']) => purse)

/** A fixture has the hash of the stored wasm instead of its bytes. */
const hashWasm = (text: string): string =>
  text.replace(STORED_WASM, (_, start, hex) => `${start}blake2b ${blake2b(Uint8Array.fromHex(hex)).toHex()}"`)

function firstDifference(actual: string, expected: string): string {
  let at = 0
  while (actual[at] === expected[at]) at++
  const around = (text: string): string => text.slice(Math.max(0, at - 100), at + 100)
  return `${around(actual)} instead of ${around(expected)}`
}
