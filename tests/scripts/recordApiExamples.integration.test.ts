import { expect, test } from 'bun:test'
import { chainspec } from '@wattfeed/casper-devnet/testing/chainspec'
import { recordApiExamples } from '../../scripts/recordApiExamples.ts'
import { apiSchemas } from '../../src/server/http/apiDocs.ts'

const path = new URL('../../src/server/http/apiExamples.json', import.meta.url)

/** Without hashes and signatures: on a busy machine, other blocks hold the same transactions, with the same state. */
const withoutHashes = (recorded: object): unknown =>
  JSON.parse(
    JSON.stringify(recorded)
      .replaceAll(/[0-9a-f]{64,}/g, ({ length }) => `${length} digits`)
      .replaceAll(/"random_bit":(true|false)/g, '"random_bit":null'),
  )

test('default: a new recording is the same but for hashes, so the examples are what the server answers now', async () => {
  // Recorded with the chain's default protocol, which CASPER_PROTOCOL replaces.
  const recorded = (await Bun.file(path).text()).replaceAll(
    '"2.2.2"',
    `"${chainspec.protocol.version.join('.')}"`,
  )
  expect(withoutHashes(await recordApiExamples())).toEqual(withoutHashes(JSON.parse(recorded)))
})

test('default: each body has a recorded answer, but metadata of tables, and what is about attested datasets', async () => {
  const { answers } = await Bun.file(path).json()
  const without = Object.keys(apiSchemas).filter((name) => !Object.hasOwn(answers, name))
  expect(without).toEqual([
    'AttestedDatasets',
    'Codes',
    'Series',
    'SeriesTable',
    'SeriesProof',
    'SeriesAbsence',
    'SeriesHistory',
    'SeriesRevisions',
    'SeriesRangeProof',
    'TableMetadata',
  ])
})
