import type { Command } from 'commander'
import { createCommand } from './runtime/createCommand.ts'

/** The commands, each loaded on demand. */
const commands: Record<string, Record<string, { does: string; load: () => Promise<Command> }>> = {
  'Reading:': {
    serve: {
      does: 'serve feeds over HTTP (the default command)',
      load: async () => (await import('./serve.ts')).serveCommand,
    },
    health: {
      does: 'check that the server on this machine is healthy',
      load: async () => (await import('./serve.ts')).healthCommand,
    },
    verify: {
      does: 'check the proof of a reading, offline',
      load: async () => (await import('./verify.ts')).verifyCommand,
    },
    provenance: {
      does: 'compare an attested value with EIA',
      load: async () => (await import('./provenance.ts')).provenanceCommand,
    },
    series: {
      does: 'read and prove any series of an attested dataset',
      load: async () => (await import('./series.ts')).seriesCommand,
    },
    export: {
      does: 'export every attested value to Parquet or CSV files',
      load: async () => (await import('./export.ts')).exportCommand,
    },
    mcp: {
      does: 'offer tools to an assistant on this machine (MCP)',
      load: async () => (await import('./mcp.ts')).mcpCommand,
    },
    forward: {
      does: 'forward events to a webhook or to NATS',
      load: async () => (await import('./forward.ts')).forwardCommand,
    },
  },
  'Attesting:': {
    doctor: {
      does: 'check what an agent needs before its first run',
      load: async () => (await import('./doctor.ts')).doctorCommand,
    },
    agent: {
      does: 'attest new EIA values as they are published',
      load: async () => (await import('./agent.ts')).agentCommand,
    },
    feeds: {
      does: 'list, check, register, attest and add feeds',
      load: async () => (await import('./feeds.ts')).feedsCommand,
    },
    datasets: {
      does: 'take and check snapshots of whole datasets of EIA',
      load: async () => (await import('./datasets.ts')).datasetsCommand,
    },
    eligibility: {
      does: 'prove to the gate that an account may register feeds',
      load: async () => (await import('./eligibility.ts')).eligibilityCommand,
    },
    committee: {
      does: 'show and change the keys that sign for an account',
      load: async () => (await import('./committee.ts')).committeeCommand,
    },
  },
  'Contracts and chain:': {
    contracts: {
      does: 'install, upgrade, wire and inspect the contracts on a chain',
      load: async () => (await import('./contracts.ts')).contractsCommand,
    },
    transaction: {
      does: 'show, sign and send a transaction that needs several signatures',
      load: async () => (await import('./transaction.ts')).transactionCommand,
    },
    devnet: {
      does: 'run a Casper chain on this machine, for development',
      load: async () => (await import('./devnet.ts')).devnetCommand,
    },
    demo: {
      does: 'run a chain, an agent and a server, with invented figures',
      load: async () => (await import('./demo.ts')).demoCommand,
    },
  },
}

const help = `
Every command has --help, with its settings, exit codes and examples. Settings come from the environment.
By default, commands that read use the public test network. "wattfeed demo" needs no network.

From source, use "bun run <command>" ("bun run start" for serve).`

const program = createCommand('wattfeed')
  .description('Attested US energy statistics on the Casper blockchain.')
  .usage('[command] [options]')
  .enablePositionalOptions()
  .helpCommand(false)
  .configureHelp({ subcommandTerm: (command) => command.name() })
  .addHelpText('after', help)

for (const [group, members] of Object.entries(commands))
  for (const [name, { does, load }] of Object.entries(members))
    program
      .command(name)
      .helpGroup(group)
      .summary(does)
      // The loaded command parses its own arguments.
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .passThroughOptions()
      .action(async (_, self: Command) => {
        const command = (await load()).name(`wattfeed ${name}`)
        prepareOutput(command)
        await command.parseAsync(self.args, { from: 'user' })
      })

/** Replaces `bun run` in help texts with the name of the binary. */
function prepareOutput(command: Command): void {
  command.configureOutput({
    writeOut: (text) => process.stdout.write(text.replaceAll('bun run ', 'wattfeed ')),
  })
  for (const inner of command.commands) prepareOutput(inner)
}

const [first = 'serve', ...others] = process.argv.slice(2)
await program.parseAsync(first === 'help' ? [...others, '--help'] : [first, ...others], { from: 'user' })
