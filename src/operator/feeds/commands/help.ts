import { Type } from '@sinclair/typebox'
import { agentSettings } from '../../../agent/settings/agentSettings.ts'
import { formatSettings } from '../../../runtime/formatSettings.ts'
import { withOptions } from '../../../runtime/settings.ts'

// The feeds commands do not listen or log.
const { AGENT_HOST: _host, AGENT_PORT: _port, LOG_LEVEL: _logLevel, ...shared } = agentSettings.properties

/** The settings that affect the feeds commands. */
export const feedsSettings = Type.Object({
  ...shared,
  EIA_API_KEY: withOptions(shared.EIA_API_KEY, {
    needed: {
      ...shared.EIA_API_KEY.needed,
      when: 'to attest, to list facet values, and for check --write; check and new do more with it',
    },
  }),
  ATTESTER_KEY_PATH: withOptions(shared.ATTESTER_KEY_PATH, {
    description: 'secret key in PEM of the account that registers and attests, and pays',
  }),
  PAYMENT_MOTES: withOptions(shared.PAYMENT_MOTES, { defaultText: 'what it needs' }),
})

/** Settings and exit codes of `--help`. */
export const feedsHelp = `
Settings, all optional unless said otherwise, from the environment:
${formatSettings(feedsSettings)}

list, history and claimant read the public test network by default and need no key; datasets, costs and the facets of
a dataset need no network. register, attest and backfill have no default for node, chain, registries and key, because
they pay.

Exit codes:
  0  done (with --dry-run: it can be done)
  1  it could not be run: a setting, a file, the node, the key or the balance stands in the way, or everything was
     refused before anything was sent; "check" without EIA_API_KEY, which compares with the catalog alone
  2  some of it differs, failed or was refused: "list" a configured feed that the chain does not have as it is
     configured, "check" a feed that is wrong, "register", "attest" and "backfill" a transaction that did not succeed
     or whose end is not known yet; run the same command again to go on from there

A transaction that fails loses its whole payment, so everything that can be checked is checked before it is sent.`

export const listHelp = `
Shows every feed that is registered on chain or in the feeds file: whether both agree, and the newest value.
Exits with 2 if a configured feed is not on chain, or not as configured.

Examples:
  $ bun run feeds list
  $ bun run feeds list --json | jq -r '.feeds[] | select(.is_registered | not) | .feed_id'`

export const checkHelp = `
Checks configured feeds against the catalog: dataset, frequency, column and facets exist, and one series is
selected. With EIA_API_KEY also against EIA: the facet values exist, the newest 2000 rows are one series, of which each
period has one row, and state the feed's "upstream_unit". A feed without one fails where rows state a unit;
--write writes it into the feeds file, and leaves all else as it is. "warned" is a facet that is open, and of whose values
those rows have only one. Says of feeds that are marked "unverified" whether they are confirmed now. Exits with 2 if a
check fails.

Examples:
  $ bun run feeds check
  $ EIA_API_KEY=… FEEDS_FILE=feeds.json bun run feeds check --write
  $ EIA_API_KEY=… bun run feeds check EIA.PET.PRICE.WTI.DAILY
  $ bun run feeds check --json | jq '.feeds[] | select(.is_right | not)'`

export const registerHelp = `
Registers a configured feed, or updates its metadata if they differ; a feed that is on chain as configured is left
alone. A new feed needs an account that the registry's gate says is eligible ("bun run eligibility"), and
becomes that account's; a known one its claimant. Pays 2.5 CSPR, or 5 CSPR if the description is longer than
290 characters; a quarter of the unused payment is lost. Up to 16 transactions are on their way at once, and where
one fails the others go on. A transaction that an interrupted run has sent is followed, not repeated.

What would change is shown field by field, also with --dry-run. Values on chain are amounts, which "decimals" and "unit"
give their meaning: where a feed has values, another of the two is refused. Give the feed another id, or pass
--rescale-history if the values are to read differently.

Examples:
  $ bun run feeds register EIA.PET.PRICE.WTI.DAILY --dry-run
  $ bun run feeds register --all
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    FEED_REGISTRY_PACKAGE_HASH=… ATTESTATION_REGISTRY_PACKAGE_HASH=… ATTESTER_KEY_PATH=keys/secret_key.pem \\
    bun run feeds register --all --json`

export const attestHelp = `
Fetches the newest value of one configured feed, decides as the agent does, and attests it if it is new. What an
interrupted run or agent has left pending is settled first. Needs EIA_API_KEY; with --dry-run no ATTESTER_KEY_PATH.

Examples:
  $ bun run feeds attest EIA.PET.PRICE.WTI.DAILY --dry-run
  $ bun run feeds attest EIA.PET.PRICE.WTI.DAILY --json`

export const backfillHelp = `
Attests a feed's past as EIA has it now, oldest period first, as many values in a transaction as fit, one transaction after
the other. Says before it starts what that costs; every ten seconds how far it is. What cannot be attested (withheld,
negative, another unit, …) is left out and listed. Periods are given as EIA writes them for the feed's frequency.

Readers take the value that is attested last for the newest. So until it ends, they see old periods as the newest value:
backfill a feed before you announce it. A running agent leaves the feed alone meanwhile ("backfilling"), and all
others go on. Interrupted at any point, the same command goes on with the next period, and nothing is attested twice.

What the chain lacks of the range is attested. If that is all later than the feed's newest value, as in a feed without
values or after an interruption, the command runs. If the chain lacks an earlier period, the feed is refused, unless
--and-restate is given: then each transaction ends with the feed's newest value again, all or nothing, so that the
newest value is right throughout. That costs more, and the history holds the newest value once more for each.

Examples:
  $ bun run feeds backfill EIA.PET.PRICE.WTI.DAILY --from 2024-01-02 --dry-run
  $ bun run feeds backfill EIA.PET.PRICE.WTI.DAILY --from 1986-01-02 --to 2019-12-31 --and-restate --json`

export const historyHelp = `
Shows the newest values of a feed, oldest first, all at one state root: one call to the node for each.

Examples:
  $ bun run feeds history EIA.PET.PRICE.WTI.DAILY
  $ bun run feeds history EIA.PET.PRICE.WTI.DAILY --last 365 --json | jq -r '.values[] | [.period, .value] | @tsv'`

export const claimantHelp = `
Shows who may attest to a feed: the account that registered it.

Example:
  $ bun run feeds claimant EIA.PET.PRICE.WTI.DAILY`

export const newHelp = `
Adds a feed to the feeds file (FEEDS_FILE, else, from source, the one that comes with wattfeed): asks at a terminal for what no
flag gives, suggesting id, title, description, unit and decimals. With EIA_API_KEY facet values can be chosen from
EIA's lists, and the feed is checked before it is written, with the unit that its rows state as "upstream_unit"; without,
it is marked "unverified". A facet that is open and has several values in EIA's rows must be pinned. Pin every facet,
or "series" alone: facets enter the hash of every value. "feeds datasets" and "feeds facets" find both.

Examples:
  $ FEEDS_FILE=feeds.json bun run feeds new petroleum/pri/spt
  $ bun run feeds new petroleum/pri/spt --frequency weekly --facet series=RWTC --unit '$/bbl' --dry-run
  $ bun run feeds new electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=TX --facet sectorid=RES --id EIA.ELEC.RETAIL.PRICE.TX_RES.MONTHLY --unit cents/kWh`

export const datasetsHelp = `
Finds datasets in the catalog by words in route, name or description, without network.

Examples:
  $ bun run feeds datasets retail gasoline
  $ bun run feeds datasets --limit 300 --json | jq -r '.datasets[].route'`

export const facetsHelp = `
Lists the facets of a dataset, without network, or the values that one of them may have. EIA lists the values:
EIA_API_KEY is needed.

Examples:
  $ bun run feeds facets petroleum/pri/spt
  $ EIA_API_KEY=… bun run feeds facets petroleum/pri/spt series crude`

export const costsHelp = `
Estimates what attesting the feeds file costs a day and a month, by feed and in all, without network: from how often
each feed has a new value, and the gas of the contracts as it was measured. The lower figure is for values that
share transactions, the higher one for each value alone. PAYMENT_MOTES counts, if it is set.

Examples:
  $ bun run feeds costs
  $ FEEDS_FILE=feeds.json bun run feeds costs --json | jq .month`
