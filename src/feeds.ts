import { addAttest } from './operator/feeds/attest.ts'
import { addBackfill } from './operator/feeds/backfill.ts'
import { addCheck } from './operator/feeds/check.ts'
import { addCosts } from './operator/feeds/costs.ts'
import { addDatasets, addFacets } from './operator/feeds/find.ts'
import { addClaimant, addHistory } from './operator/feeds/history.ts'
import { addList } from './operator/feeds/list.ts'
import { addNew } from './operator/feeds/new.ts'
import { addRegister } from './operator/feeds/register.ts'
import { feedsHelp } from './operator/feeds/settings.ts'
import { createProgram } from './operator/program.ts'

const program = createProgram('feeds', {
  description: 'Finds, adds, checks, registers, attests and lists the feeds of wattfeed.',
  help: feedsHelp,
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
