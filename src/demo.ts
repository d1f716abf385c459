import { createAgentCommand } from './agent.ts'
import { CHAIN_NAME } from './demo/demoChain.ts'
import { demoSettings, readDemoSettings } from './demo/demoSettings.ts'
import { runLiveDemo } from './demo/liveDemo.ts'
import { ServerStartError } from './demo/programs.ts'
import { createCommand } from './runtime/createCommand.ts'
import { commandError } from './runtime/errorFields.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'
import { nextStopSignal } from './runtime/stopSignal.ts'

const description = `Runs a chain, the agent and the server on this machine. No network is needed.

The chain executes the real contracts; the figures and their history are invented.`

const help = `
It prints its progress on standard error, and what to try first on standard output. docs/demo.md has the rest. Its keys are in a
temporary folder, which is removed when it ends. After a SIGKILL, the next start removes it.

Environment:
${formatSettings(demoSettings)}

Exit codes: 0 stopped by a signal, 1 failed to start, or the server or the agent exited.`

/**
 * The agent of a member, which `demo --committee` starts. It signs at once, because the demo's chain is new. No setting makes
 * agents of other chains do that.
 */
const memberCommand = createAgentCommand({ isFreshChain: true }).hook('preAction', (command) => {
  if (process.env.CASPER_CHAIN_NAME !== CHAIN_NAME)
    command.error(`error: "demo agent" runs only on the demo's chain, ${CHAIN_NAME}; run "bun run agent"`)
})

export const demoCommand = createCommand('demo')
  .description(description)
  .usage('[options]')
  .option('--committee', 'run five agents that attest together: four of five keys must sign')
  .addHelpText('after', help)
  .helpCommand(false)
  .addCommand(memberCommand, { hidden: true })
  .action(async (options: DemoOptions) => {
    // All programs run on this machine, which a configured proxy cannot reach.
    process.env.NO_PROXY = '127.0.0.1,localhost'
    // Without an explicit exit, interrupted work would keep the process alive.
    process.exit(await runDemo(options))
  })

if (import.meta.main) await demoCommand.parseAsync()

interface DemoOptions {
  committee?: boolean
}

async function runDemo({ committee = false }: DemoOptions): Promise<number> {
  let isStopping = false
  const stopSignal = nextStopSignal().then(() => {
    isStopping = true
  })
  try {
    const settings = readDemoSettings(process.env)
    return await runLiveDemo(settings, stopSignal, { hasCommittee: committee })
  } catch (error) {
    // Errors during shutdown are expected.
    if (isStopping) return 0
    if (error instanceof ServerStartError) return error.exitCode
    for (const line of commandError(error).message.split('\n')) console.error(`demo: ${line}`)
    return 1
  }
}
