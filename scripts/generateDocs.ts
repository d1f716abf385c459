import { join } from 'node:path'
import { agentCommand } from '../src/agent.ts'
import { createClient } from '../src/client/index.ts'
import { contractsCommand } from '../src/contracts.ts'
import { demoCommand } from '../src/demo.ts'
import { devnetCommand } from '../src/devnet.ts'
import { eligibilityCommand } from '../src/eligibility.ts'
import { exportCommand } from '../src/export.ts'
import { feedsCommand } from '../src/feeds.ts'
import { forwardCommand } from '../src/forward.ts'
import { provenanceCommand } from '../src/provenance.ts'
import { healthCommand, serveCommand } from '../src/serve.ts'
import { createApp } from '../src/server/app.ts'
import { createMetrics } from '../src/server/metrics.ts'
import { verifyCommand } from '../src/verify.ts'
import { formatCommands } from './docs/commands.ts'
import { formatEndpoints, type OpenapiDocument } from './docs/endpoints.ts'
import { formatMetrics } from './docs/metrics.ts'

const commands = [
  serveCommand,
  healthCommand,
  verifyCommand,
  provenanceCommand,
  exportCommand,
  forwardCommand,
  agentCommand,
  feedsCommand,
  eligibilityCommand,
  contractsCommand,
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
    'metrics.md': await formatMetrics([{ title: 'Server', registry: metrics.registry }]),
  }
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await generateDocs())) {
    await Bun.write(join(import.meta.dir, '../docs', name), text)
    console.log(`docs/${name}`)
  }
}
