#!/usr/bin/env node
// Runs the program in Bun, which the chain needs: in this process, or in one of its own if Node.js runs this file.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const packed = new URL('../dist/command/main.js', import.meta.url)
const program = existsSync(packed) ? packed : new URL('../src/command/main.ts', import.meta.url)

const help = `casper-devnet needs Bun 1.4.4 or newer, and found no "bun" on the path. Install it (https://bun.sh), or let npm bring it:

  npx -p bun -p @wattfeed/casper-devnet casper-devnet`

if (process.versions.bun === undefined) runInBun()
else await import(program.href)

function runInBun() {
  const child = spawn('bun', [fileURLToPath(program), ...process.argv.slice(2)], { stdio: 'inherit' })
  child.on('error', (error) => {
    console.error(error.code === 'ENOENT' ? help : `casper-devnet: could not start Bun: ${error.message}`)
    process.exit(1)
  })
  // A terminal sends SIGINT to both processes.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => process.exit(code ?? 1))
  endWithParent(child)
}

/** Stops the chain when npm has ended: `npx` passes a signal to its shell alone, which ends and leaves this process behind. */
function endWithParent(child) {
  if (process.env.npm_command === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 500)
}
