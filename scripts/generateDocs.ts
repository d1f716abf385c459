import { join } from 'node:path'
import { createAgentMetrics } from '../src/agent/monitor/agentMetrics.ts'
import { agentSettings } from '../src/agent/settings/agentSettings.ts'
import { agentCommand } from '../src/agent.ts'
import { createClient } from '../src/client/index.ts'
import { committeeCommand } from '../src/committee.ts'
import { contractsCommand } from '../src/contracts.ts'
import { demoSettings } from '../src/demo/demoSettings.ts'
import { demoCommand } from '../src/demo.ts'
import { devnetCommand } from '../src/devnet.ts'
import { eligibilityCommand } from '../src/eligibility.ts'
import { exportCommand } from '../src/export.ts'
import { feedsCommand } from '../src/feeds.ts'
import { forwardSettings } from '../src/forward/settings.ts'
import { forwardCommand } from '../src/forward.ts'
import { mcpCommand } from '../src/mcp.ts'
import { contractsSettings } from '../src/operator/contractsSettings.ts'
import { proverSettings } from '../src/operator/eligibility/packages.ts'
import { transactionSettings } from '../src/operator/transaction/settings.ts'
import { provenanceCommand } from '../src/provenance.ts'
import { devnetSettings } from '../src/runtime/listenSettings.ts'
import { healthCommand, serveCommand } from '../src/serve.ts'
import { createApp } from '../src/server/app.ts'
import { createMetrics } from '../src/server/metrics.ts'
import { mcpSettings, serverSettings } from '../src/server/settings.ts'
import { transactionCommand } from '../src/transaction.ts'
import { verifyCommand } from '../src/verify.ts'
import { formatCommands } from './docs/commands.ts'
import { formatEndpoints, type OpenapiDocument } from './docs/endpoints.ts'
import { formatMetrics } from './docs/metrics.ts'
import { formatSettingsPage } from './docs/settings.ts'

const commands = [
  serveCommand,
  healthCommand,
  verifyCommand,
  provenanceCommand,
  exportCommand,
  mcpCommand,
  forwardCommand,
  agentCommand,
  feedsCommand,
  eligibilityCommand,
  committeeCommand,
  contractsCommand,
  transactionCommand,
  devnetCommand,
  demoCommand,
]

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** Returns the generated pages of `docs/`, by name. */
export async function generateDocs(): Promise<Record<string, string>> {
  const metrics = createMetrics()
  const app = createApp({ client: createClient(), metrics, log: silent })
  const answer = await app.handle(new Request('http://localhost/openapi/json'))
  const document: OpenapiDocument = await answer.json()
  return {
    'endpoints.md': formatEndpoints(document),
    'commands.md': formatCommands(commands),
    'settings.md': formatSettingsPage([
      { title: 'Server', settings: serverSettings },
      { title: 'Language models', settings: mcpSettings },
      { title: 'Agent', settings: agentSettings },
      { title: 'Operators', settings: contractsSettings },
      { title: 'Transactions', settings: transactionSettings },
      { title: 'Prover', settings: proverSettings },
      { title: 'Forwarder', settings: forwardSettings },
      { title: 'Embedded chain', settings: devnetSettings },
      { title: 'Demo', settings: demoSettings },
    ]),
    'metrics.md': await formatMetrics([
      { title: 'Server', registry: metrics.registry },
      { title: 'Agent', registry: createAgentMetrics().registry },
    ]),
  }
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await generateDocs())) {
    await Bun.write(join(import.meta.dir, '../docs', name), text)
    console.log(`docs/${name}`)
  }
}
