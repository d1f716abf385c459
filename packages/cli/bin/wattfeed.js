#!/usr/bin/env node
// Runs the program with the Bun that npm installed beside it, so that a machine needs Node.js alone.
import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../program/', import.meta.url))

// The user's folder may hold a project of Bun. Its settings, its .env and its paths are not for this program.
const flags = [
  '--no-env-file',
  '--no-install',
  `--config=${join(program, 'bunfig.toml')}`,
  `--tsconfig-override=${join(program, 'tsconfig.json')}`,
]

/** The folder of a package that a file finds; null if it is not installed. */
function folderOf(name, file) {
  try {
    return dirname(createRequire(file).resolve(`${name}/package.json`))
  } catch {
    return null
  }
}

/** The path of Bun; null if it is not installed for this system. */
function findBun() {
  const folder = folderOf('bun', import.meta.url)
  if (folder === null) return null
  const manifest = join(folder, 'package.json')
  const { optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8'))
  const systems = Object.keys(optionalDependencies).map((name) => folderOf(name, manifest))
  // The install script of `bun` moves the program there from the package for the system. Where npm runs no scripts, it stays.
  return (
    [folder, ...systems]
      .filter((each) => each !== null)
      .flatMap((each) => [join(each, 'bin/bun.exe'), join(each, 'bin/bun')])
      .find(isProgram) ?? null
  )
}

// Without the script, the package `bun` has a text that says so.
const isProgram = (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000

function fail(message) {
  console.error(`wattfeed: ${message}`)
  process.exit(1)
}

/** A terminal sends these to the program, too. The program takes a second signal as the order to end at once. */
const isSentToAll = (signal) => signal !== 'SIGTERM' && [0, 1, 2].some(isatty)

/** Calls a function once when npm has ended: `npx` passes a signal to its shell alone, which ends and leaves this process behind. */
function onOrphaned(then) {
  if (process.env.npm_command === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    then()
  }, 500)
  return watch
}

function run(bun) {
  const child = spawn(bun, [...flags, join(program, 'wattfeed.js'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  child.on('error', (error) =>
    fail(`could not start Bun at ${bun}: ${error.message}; install wattfeed-cli again`),
  )
  const watch = onOrphaned(() => child.kill('SIGTERM'))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      clearInterval(watch)
      if (!isSentToAll(signal)) child.kill(signal)
    })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

const bun = findBun()
if (bun === null)
  fail(
    `Bun, which runs this program, is not installed for ${process.platform}-${process.arch}: install wattfeed-cli again, with optional dependencies`,
  )
run(bun)
