import { expect, test } from 'bun:test'
import type { FeedProofCheck, ProvenRange, Reading } from 'wattfeed'
import { checkJson, formatCheck } from '../../../src/operator/verify/formatCheck.ts'
import { UnreadableProofError } from '../../../src/operator/verify/readProof.ts'
import { unreadable } from '../../../src/operator/verify/runVerify.ts'

const reading: Reading = {
  feed_id: 'A.FEED\u001b[2J',
  decimals: 2,
  unit: '$/\u202ebbl',
  title: 'A feed',
  source: 'EIA',
  route: 'a/route',
  frequency: 'daily',
  description: 'invented',
  value: 1.5,
  amount: 150n,
  period: 20261120,
  source_hash: 'ab',
  updated_at: 1,
}

const proven: FeedProofCheck = {
  reading,
  links: [
    { link: 'registries', holds: true, detail: '' },
    { link: 'reading', holds: true, detail: 'a\nb' },
  ],
}

const refuted: FeedProofCheck = {
  reading: null,
  links: [
    { link: 'registries', holds: true, detail: 'casper' },
    { link: 'block', holds: false, detail: 'its header does not hash to \u001b]0;x\u0007' },
  ],
}

test('default: a check mark for each link, and the proven reading', () => {
  expect(formatCheck(proven)).toBe(
    '✓ registries\n✓ reading: a\\u{a}b\nproven: A.FEED\\u{1b}[2J = 1.5 $/\\u{202e}bbl (amount 150, period 20261120)',
  )
})

test.each([
  [[], null, 'has no value (of 9)'],
  [['2026-08'], 3, 'has 1 value (of 9, root 3)'],
  [['2026-08', '2026-09'], null, 'has 2 values (of 9)'],
])('behavior: a range with the periods %j', (periods, index, text) => {
  const values = periods.map((period) => ({ period, value: null, unit: null }))
  const check = rangeOf({ values, index })
  expect(formatCheck(check).trimStart()).toBe(
    `proven: a/route monthly value x=y\\u{a} from 2026-08, the newest 2 ${text}`,
  )
  const { range, ...proven } = check.range ?? {}
  expect(checkJson(check)).toEqual({ proven: true, reading: null, range: { ...range, ...proven }, links: [] })
})

function rangeOf(found: Pick<ProvenRange, 'values' | 'index'>): FeedProofCheck {
  const series = { route: 'a/route', frequency: 'monthly', column: 'value', facets: { x: 'y\n' } }
  const selection = { period_from: '2026-08', period_to: null, order: 'desc', limit: 2 } as const
  const root = { feed_id: 'A', root: 'ab', size: 9, attested_at: 1, block_height: 2, first_index: null }
  return { reading: null, range: { range: { ...series, ...selection }, ...found, ...root }, links: [] }
}

const account = `account-hash-${'ab'.repeat(32)}`

const authority = {
  keys: [{ accountHash: account, weight: 1 }],
  thresholds: { deployment: 1, keyManagement: 2 },
  minSigners: 1,
}

test('behavior: the attester as JSON, as in the answers of the server', () => {
  expect(checkJson({ ...proven, attester: { account, authority } })).toMatchObject({
    attester: {
      account,
      authority: {
        keys: [{ account_hash: account, weight: 1 }],
        thresholds: { deployment: 1, key_management: 2 },
        min_signers: 1,
      },
    },
  })
  const contract = { account: 'hash-ab', authority: null }
  expect(checkJson({ ...proven, attester: contract })).toMatchObject({ attester: contract })
  expect(checkJson({ ...proven, attester: null })).toMatchObject({ attester: null })
})

test('behavior: an attester that the server could not prove', () => {
  expect(formatCheck({ ...proven, attester: null })).toContain('\nattester: not proven\nproven: ')
  expect(formatCheck(proven)).not.toContain('attester')
})

test('default: the broken link, without the reading', () => {
  expect(formatCheck(refuted)).toBe(
    '✓ registries: casper\n✗ block: its header does not hash to \\u{1b}]0;x\\u{7}\nrefuted: block does not hold',
  )
})

test('default: as JSON, with the amount as text', () => {
  expect(checkJson(proven)).toEqual({
    proven: true,
    reading: { ...reading, amount: '150' },
    links: proven.links,
  })
  expect(checkJson(refuted)).toEqual({ proven: false, reading: null, links: refuted.links })
})

test('error: as JSON, invisible and bidirectional characters of a proof are escapes', () => {
  const { text } = unreadable(new UnreadableProofError({ source: 'proof.json', rule: 'a\u202e\u3164' }), true)
  expect(text).toContain('a\\u202e\\u3164')
})

const series: NonNullable<FeedProofCheck['series']> = {
  statement: 'value',
  series: {
    ...{ route: 'a/route', frequency: 'daily', column: 'value\u001b' },
    facets: { 'a-b': 'X', a: null },
    period: '2026-11-20',
  },
  ...{ period: '2026-11-20', value: '1.50', unit: '$', leaf_index: 3, feed_id: 'EIA.DATASET.A.ROUTE.DAILY' },
  ...{ root: 'ab'.repeat(32), size: 9, index: null, attested_at: 1, block_height: 2 },
}

test.each([
  [{}, '2026-11-20 = 1.50 $ (leaf 3 of 9)'],
  [{ unit: null }, '2026-11-20 = 1.50 (leaf 3 of 9)'],
  [{ value: null }, '2026-11-20 = withheld $ (leaf 3 of 9)'],
  [{ value: 'a\u202eb' }, '2026-11-20 = a\\u{202e}b $ (leaf 3 of 9)'],
  [{ statement: 'newest' }, 'newest 2026-11-20 = 1.50 $ (leaf 3 of 9)'],
  [{ statement: 'no_period', period: null }, 'has no value for 2026-11-20 (of 9 values)'],
  [{ statement: 'no_series', period: null }, 'has no value (of 9 values)'],
  [{ index: 7 }, '2026-11-20 = 1.50 $ (leaf 3 of 9, root 7)'],
  [{ statement: 'no_series', period: null, index: 7 }, 'has no value (of 9 values, root 7)'],
] as const)('default: the last line about a series: %p', (changes, line) => {
  const check = { reading: null, links: [], series: { ...series, ...changes } }
  expect(formatCheck(check)).toBe(`\nproven: a/route daily value\\u{1b} a= a-b=X ${line}`)
})
