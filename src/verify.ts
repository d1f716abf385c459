import { hash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { casperTest } from 'wattfeed'
import { runVerify } from './operator/verify/runVerify.ts'
import { isDataSetProof, runVerifyDataSet } from './operator/verify/runVerifyDataSet.ts'
import { createCommand } from './runtime/createCommand.ts'
import { option } from './runtime/settings/option.ts'
import { blockHash, packageHash } from './runtime/settings/textTypes.ts'
import { createTerminal } from './runtime/terminal.ts'

const { progress } = createTerminal('verify')

interface Options {
  trust: string
  chainName: string
  feedRegistry: string
  attestationRegistry: string
  maxAge?: number
  json?: boolean
}

const registry = option(packageHash())

/** The exit code for a proof that cannot be read, wrong usage, or an unexpected error: it refutes nothing. */
const NOTHING_CHECKED = 2

const help = `
Exit code: 0 proven, 1 refuted, 2 unreadable or wrong usage. The proof that a feed is not registered, or has no value, is
also proven. Then "reading" of --json is null. It is also null for a series of a dataset, whose value is in "series".

Only the options are trusted: the block hash (of a switch block, the last block of an era), the chain's name (which
signatures cover) and both registries. Take them from sources that you trust.

From a URL, the proof must be of the feed and the value, the list or the series that the URL names. Redirects are not followed.
The URL of a series that lacks a part of it, or has one twice, is unreadable.

With \`?attester=1\` in the URL, it also checks who may attest to the feed, and how many keys must sign.
A proof may have at most 128 MiB.

The file _proofs.jsonl of "wattfeed export --proofs" proves a whole data set. Its check takes about 3 kB of memory for
each value. If _manifest.json is beside it, all rows are compared with the proven values.

Examples:
  bun run verify http://localhost:4030/v1/feeds/EIA.PET.PRICE.WTI.DAILY/proof --trust <block hash>
  bun run verify http://localhost:4030/v1/feeds/EIA.PET.PRICE.WTI.DAILY/history/0/proof --trust <block hash>
  bun run verify http://localhost:4030/v1/feeds.proof --trust <block hash>
  bun run verify 'http://localhost:4030/v1/series/proof?route=…&frequency=…&column=…&facet.<id>=…' --trust <block hash>
  bun run verify wattfeed-data/_proofs.jsonl --trust <block hash>
  curl -s '…/proof?from=<block hash>' > proof.json && bun run verify proof.json --trust <block hash>`

export const verifyCommand = createCommand('verify')
  .description(
    'Checks the proof of a reading, a history, the list of feeds or a data set offline, from one trusted block hash, and shows each link.',
  )
  .argument('<source>', 'a file, the URL of a proof, or - for standard input')
  .requiredOption('--trust <block hash>', 'the hash of a switch block that you trust', option(blockHash()))
  .option('--chain-name <name>', 'the chain that the proof must be for', casperTest.chainName)
  .option('--feed-registry <package hash>', 'the FeedRegistry', registry, casperTest.feedRegistryPackageHash)
  .option(
    '--attestation-registry <package hash>',
    'the AttestationRegistry',
    registry,
    casperTest.attestationRegistryPackageHash,
  )
  .option(
    '--max-age <ms>',
    'maximum age of its block, in milliseconds',
    option(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 })),
  )
  .option('--json', 'print one JSON object')
  .option('--verifier-hash', 'print the SHA-256 of wattfeed-verifier.html, the verifier for browsers')
  // Like `--version`, it ends the program before missing arguments are reported, so it cannot wait for an import.
  .on('option:verifier-hash', () => {
    const {
      verifierFile,
    }: typeof import('./web/site/verifierFile.ts') = require('./web/site/verifierFile.ts')
    console.log(hash('sha256', verifierFile))
    process.exit(0)
  })
  .addHelpText('after', help)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : NOTHING_CHECKED))
  .action(async (source: string, options: Options) => {
    try {
      await verify(source, options)
    } catch (error) {
      // An unexpected error refutes nothing.
      console.error(error)
      process.exitCode = NOTHING_CHECKED
    }
  })

async function verify(source: string, { trust, maxAge, json = false, ...options }: Options): Promise<void> {
  const request = {
    source,
    json,
    trust: {
      trustedBlockHash: trust,
      chainName: options.chainName,
      feedRegistryPackageHash: options.feedRegistry,
      attestationRegistryPackageHash: options.attestationRegistry,
      ...(maxAge === undefined ? {} : { maxAgeMs: maxAge }),
    },
  }
  const { exitCode, text } = (await isDataSetProof(source))
    ? await runVerifyDataSet({ ...request, progress })
    : await runVerify(request)
  if (exitCode === NOTHING_CHECKED && !json) console.error(text)
  else console.log(text)
  process.exitCode = exitCode
}

if (import.meta.main) await verifyCommand.parseAsync()
