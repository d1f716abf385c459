import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFolder } from '@wattfeed/testing/folder'

/** The Python that has the packages of `requirements.txt`. */
export const executablePath =
  process.env.PYTHON_PATH ?? fileURLToPath(new URL('../../.venv/bin/python', import.meta.url))

/** Where Python keeps what it has compiled, so that nothing appears beside sources, and no program compiles them again. */
const BYTECODE = fileURLToPath(new URL('../../node_modules/.cache/python', import.meta.url))

/** Whether tests with Python's packages can run here; `REQUIRE_PYTHON=1` makes them mandatory. */
export const hasPython = existsSync(executablePath) || process.env.REQUIRE_PYTHON === '1'

if (!hasPython) console.warn(`skipped: tests with Python, because ${executablePath} does not exist`)

/** A folder in which Python runs, as home and working directory. */
export interface Python extends AsyncDisposable {
  readonly folder: string
  /** Runs Python with these arguments. */
  run(args: readonly string[], input?: string): Promise<Ran>
  /** Runs a program that a package has installed beside Python. */
  tool(name: string, args: readonly string[]): Promise<Ran>
  /** Runs a shell script. */
  shell(script: string): Promise<Ran>
}

/** What a program left. */
export interface Ran {
  exitCode: number
  stdout: string
  stderr: string
}

/** Prepares an empty home for Python's programs. @param executable - path of Python. @default the one that has the packages */
export async function openPython(executable: string = executablePath): Promise<Python> {
  const home = createFolder()
  const folder = home.path
  const spawn = async (command: readonly string[], input = ''): Promise<Ran> => {
    const child = Bun.spawn([...command], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, NO_PROXY: '*', PYTHONPYCACHEPREFIX: BYTECODE },
      stdin: new Blob([input]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [exitCode, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode, stdout, stderr }
  }
  const run: Python['run'] = (args, input) => spawn([executable, ...args], input)
  return {
    folder,
    run,
    tool: (name, args) => spawn([join(dirname(executable), name), ...args]),
    shell: (script) => spawn(['bash', '-euc', script]),
    [Symbol.asyncDispose]: async () => home[Symbol.dispose](),
  }
}
