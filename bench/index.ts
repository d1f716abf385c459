import { Argument, Command } from 'commander'
import { measureAgentCycle } from './agentCycle.ts'
import { measureAbsence } from './cases/absence.ts'
import { measureAdoption } from './cases/adoption.ts'
import { measureArchive } from './cases/archive.ts'
import { measureCdn } from './cases/cdn.ts'
import { measureCommittee } from './cases/committee.ts'
import { measureComparison } from './cases/comparison.ts'
import { measureCpu } from './cases/cpu.ts'
import { measureDataProof } from './cases/dataProof.ts'
import { measureDevnet } from './cases/devnet.ts'
import { measureExplorer } from './cases/explorer.ts'
import { measureExplorerProof } from './cases/explorerProof.ts'
import { measureExport } from './cases/export.ts'
import { measureFirstRequest } from './cases/firstRequest.ts'
import { measureHistory } from './cases/history.ts'
import { measureHostileNode } from './cases/hostileNode.ts'
import { measureManyFeeds } from './cases/manyFeeds.ts'
import { measureNewRoot } from './cases/newRoot.ts'
import { measureReplica } from './cases/replica.ts'
import { measureSameRoot } from './cases/sameRoot.ts'
import { measureSnapshot } from './cases/snapshot.ts'
import { measureStartup } from './cases/startup.ts'
import { measureStreams } from './cases/streams.ts'
import { measureThroughput } from './cases/throughput.ts'
import { measureVerification } from './cases/verification.ts'
import { measureWrites } from './cases/writes.ts'
import { generator } from './load.ts'
import { describeMachine, measureBusyness } from './machine.ts'
import { fullPlan, type Plan, quickPlan } from './plan.ts'
import { formatTable, type Row } from './table.ts'

const cases: readonly [string, (plan: Plan) => Promise<Row[]>][] = [
  ['start', measureStartup],
  ['first request', measureFirstRequest],
  ['new state root', measureNewRoot],
  ['same state root', measureSameRoot],
  ['throughput', measureThroughput],
  ['cpu', measureCpu],
  ['writes', measureWrites],
  ['many feeds', measureManyFeeds],
  ['streams', measureStreams],
  ['replica', measureReplica],
  ['cdn', measureCdn],
  ['history', measureHistory],
  ['agent cycle', measureAgentCycle],
  ['committee', measureCommittee],
  ['embedded chain', measureDevnet],
  ['explorer', measureExplorer],
  ['explorer proof', measureExplorerProof],
  ['export', measureExport],
  ['snapshot', measureSnapshot],
  ['archive', measureArchive],
  ['comparison', measureComparison],
  ['adoption', measureAdoption],
  ['verification', measureVerification],
  ['absence', measureAbsence],
  ['data set proof', measureDataProof],
  ['hostile node', measureHostileNode],
]

const program = new Command('bench')
  .description('Measures the server against a chain on this machine and prints a Markdown table.')
  .addArgument(
    new Argument('[cases...]', 'what to measure; all by default').choices(cases.map(([name]) => name)),
  )
  .option('--quick', 'a smoke run: small figures that say nothing', false)
  .parse()
const { quick } = program.opts<{ quick: boolean }>()
const chosen = program.args.length === 0 ? cases : cases.filter(([name]) => program.args.includes(name))

const busyBefore = measureBusyness()
const rows: Row[] = []
for (const [name, measure] of chosen) {
  if (process.stderr.isTTY) process.stderr.write(`measuring: ${name}\n`)
  rows.push(...(await measure(quick ? quickPlan : fullPlan)))
}
process.stdout.write(`${formatTable(rows)}
Measured on ${describeMachine()}, load average before the run ${busyBefore}. The server, the chain and the load (${generator}, one thread) were separate
processes on the same machine. A delay is the time from a call's arrival at the chain to its answer.
`)
