import { join } from 'node:path'
import { createClient } from 'wattfeed'
import { createAgentMetrics } from '../src/agent/monitor/agentMetrics.ts'
import { agentSettings } from '../src/agent/settings/agentSettings.ts'
import { agentCommand } from '../src/agent.ts'
import { committeeCommand } from '../src/committee.ts'
import { contractsCommand } from '../src/contracts.ts'
import { datasetsCommand } from '../src/datasets.ts'
import { demoSettings } from '../src/demo/demoSettings.ts'
import { demoCommand } from '../src/demo.ts'
import { devnetCommand } from '../src/devnet.ts'
import { doctorCommand } from '../src/doctor.ts'
import { eligibilityCommand } from '../src/eligibility.ts'
import { exportCommand } from '../src/export.ts'
import { feedsCommand } from '../src/feeds.ts'
import { forwardSettings } from '../src/forward/settings.ts'
import { forwardCommand } from '../src/forward.ts'
import { mcpCommand } from '../src/mcp.ts'
import { proverSettings } from '../src/operator/eligibility/packages.ts'
import { contractsSettings, transactionSettings } from '../src/operator/settings.ts'
import { provenanceCommand } from '../src/provenance.ts'
import { devnetSettings } from '../src/runtime/settings/listenSettings.ts'
import { senderNames } from '../src/runtime/settings/payerSettings.ts'
import { seriesCommand } from '../src/series.ts'
import { healthCommand, serveCommand } from '../src/serve.ts'
import { createApp } from '../src/server/app.ts'
import { createMetrics } from '../src/server/metrics.ts'
import { mcpSettings, serverSettings } from '../src/server/settings.ts'
import { transactionCommand } from '../src/transaction.ts'
import { verifyCommand } from '../src/verify.ts'
import { formatCommands } from './docs/commands.ts'
import { formatEndpoints, type OpenapiDocument } from './docs/endpoints.ts'
import { formatEnvironmentFile } from './docs/environmentFile.ts'
import { formatMetrics } from './docs/metrics.ts'
import { formatSettingsPage } from './docs/settings.ts'

const commands = [
  serveCommand,
  healthCommand,
  verifyCommand,
  provenanceCommand,
  seriesCommand,
  exportCommand,
  mcpCommand,
  forwardCommand,
  agentCommand,
  doctorCommand,
  feedsCommand,
  datasetsCommand,
  eligibilityCommand,
  committeeCommand,
  contractsCommand,
  transactionCommand,
  devnetCommand,
  demoCommand,
]

/** The settings of each program, in the order of the page. */
const programs = [
  { title: 'Server', settings: serverSettings },
  { title: 'Language models', settings: mcpSettings },
  { title: 'Agent', settings: agentSettings },
  { title: 'Operators', settings: contractsSettings },
  { title: 'Transactions', settings: transactionSettings },
  { title: 'Prover', settings: proverSettings },
  { title: 'Forwarder', settings: forwardSettings },
  { title: 'Embedded chain', settings: devnetSettings },
  { title: 'Demo', settings: demoSettings },
]

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** The settings of the agent that the unit and the compose file set. */
const fixedForAgent = ['ATTESTER_KEY_PATH', 'AGENT_STATE_DIR', 'AGENT_HOST', 'AGENT_PORT']

/** Returns the page of the HTTP API with the sections of the endpoints, which end it. */
async function withEndpoints(sections: string): Promise<string> {
  const page = await Bun.file(join(import.meta.dir, '../docs/http.md')).text()
  return page.replace(/(?<=<!-- endpoints -->\n)[\s\S]*?(?=<!-- \/endpoints -->)/, () => `\n${sections}\n`)
}

/** Returns the generated pages of `docs/` and files of `deploy/`, by path. */
export async function generateDocs(): Promise<Record<string, string>> {
  const metrics = createMetrics()
  const app = createApp({ client: createClient(), metrics, log: silent })
  const answer = await app.handle(new Request('http://localhost/openapi/json'))
  const document: OpenapiDocument = await answer.json()
  return {
    'docs/http.md': await withEndpoints(formatEndpoints(document)),
    'docs/commands.md': formatCommands(commands, programs),
    'docs/settings.md': formatSettingsPage(programs),
    'docs/metrics.md': await formatMetrics([
      { title: 'Server', registry: metrics.registry },
      { title: 'Agent', registry: createAgentMetrics().registry },
    ]),
    'deploy/server.env': formatEnvironmentFile({
      title: 'The settings of the servers, all optional.',
      settings: serverSettings,
      fixed: ['HOST', 'PORT'],
    }),
    'deploy/agent.env': formatEnvironmentFile({
      title: 'The settings of the agent.',
      settings: agentSettings,
      fixed: fixedForAgent,
      needed: ['EIA_API_KEY', ...senderNames],
    }),
  }
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await generateDocs())) {
    await Bun.write(join(import.meta.dir, '..', name), text)
    console.log(name)
  }
}
