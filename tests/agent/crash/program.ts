/** The agent, which stops for good at a step: `program.ts written`. What it is told by its environment is real. */
import { writeSync } from 'node:fs'
import { sleep } from '@wattfeed/base'
import { createStopSignals, runAgentCommand } from '../../../src/agent/run/agentCommand.ts'

const point = process.argv[2]

/** Says so, and never goes on: whoever hears it kills this process. */
async function stopAt(here: string): Promise<void> {
  if (here !== point) return
  writeSync(1, `stopped at ${here}\n`)
  await new Promise(() => {})
}

async function stoppingFetch(url: string, init: RequestInit): Promise<Response> {
  const isUpstream = url.includes('/v2/')
  const isPut = String(init.body).includes('account_put_transaction')
  if (isUpstream) await stopAt('upstream not asked')
  if (isPut) await stopAt('not taken')
  const response = await fetch(url, init)
  if (isUpstream) await stopAt('upstream answered')
  if (isPut) await stopAt('taken, not answered')
  return response
}

process.exit(
  await runAgentCommand(
    { once: true, json: true },
    {
      environment: process.env,
      platform: { fetch: stoppingFetch, now: Date.now, wait: sleep, random: Math.random, pollMs: 1 },
      signals: createStopSignals(Bun.sleep),
      onEvent: (event) => (event.event === 'step' ? stopAt(event.step.step) : null),
      print(text) {
        console.log(text)
        if (point === 'printed') {
          writeSync(1, 'stopped at printed\n')
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
        }
      },
    },
  ),
)
