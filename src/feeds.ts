import { addAttest } from './operator/feeds/attest.ts'
import { addBackfill } from './operator/feeds/backfill/backfill.ts'
import { addDatasets, addFacets } from './operator/feeds/catalog.ts'
import { addCheck } from './operator/feeds/check/check.ts'
import { addClaimant } from './operator/feeds/claimant.ts'
import { addCosts } from './operator/feeds/costs.ts'
import { addHistory } from './operator/feeds/history.ts'
import { addList } from './operator/feeds/list.ts'
import { addNew } from './operator/feeds/new/new.ts'
import { addRegister } from './operator/feeds/register/register.ts'
import { createProgram } from './operator/program.ts'
import { feedsSettings } from './operator/settings.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'

const help = `
Settings, all optional unless said otherwise, from the environment:
${formatSettings(feedsSettings)}

list, history and claimant read the public test network by default and need no key; datasets, costs and the facets of
a dataset need no network. register, attest and backfill have no default for node, chain, registries and key, because
they pay.

Exit codes:
  0  done (with --dry-run: it can be done)
  1  not run: a setting, a file, the node, the key or the balance is the cause, or everything was rejected before
     anything was sent; also "check" without EIA_API_KEY, which only compares with the catalog
  2  some feeds differ, failed or were rejected. "list": a configured feed is missing or different on chain. "check":
     a feed is wrong. "register", "attest", "backfill": a transaction failed or is pending; run the command again
     to resume

A transaction that fails loses its whole payment, so everything that can be checked is checked before it is sent.`

const program = createProgram('feeds', {
  description: 'Finds, adds, checks, registers, attests and lists the feeds of wattfeed.',
  help,
  environment: process.env,
})
addList(program)
addCheck(program)
addRegister(program)
addAttest(program)
addBackfill(program)
addHistory(program)
addClaimant(program)
addNew(program)
addDatasets(program)
addFacets(program)
addCosts(program)

export const feedsCommand = program.command

if (import.meta.main) await feedsCommand.parseAsync()
