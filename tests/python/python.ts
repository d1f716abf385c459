import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The Python that has the packages of `requirements.txt`. */
export const executablePath =
  process.env.PYTHON_PATH ?? fileURLToPath(new URL('../../.venv/bin/python', import.meta.url))

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

/** Prepares a home of Python's programs, with the DuckDB extension that they would download otherwise. */
export async function openPython(): Promise<Python> {
  const folder = await mkdtemp(join(tmpdir(), 'wattfeed-python-'))
  const spawn = async (command: readonly string[], input = ''): Promise<Ran> => {
    const child = Bun.spawn([...command], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, NO_PROXY: '*', PYTHONDONTWRITEBYTECODE: '1' },
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
  const run: Python['run'] = (args, input) => spawn([executablePath, ...args], input)
  const extension = await run(['-c', EXTENSION])
  const [from = '', to = ''] = extension.stdout.trim().split('\n')
  await mkdir(join(folder, to), { recursive: true })
  await cp(from, join(folder, to, 'httpfs.duckdb_extension'))
  return {
    folder,
    run,
    tool: (name, args) => spawn([join(dirname(executablePath), name), ...args]),
    shell: (script) => spawn(['bash', '-euc', script]),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Prints the path of the extension, and where DuckDB looks for it below its user's home. */
const EXTENSION = `
import duckdb, duckdb_extension_httpfs, pathlib
version, = duckdb.sql("SELECT library_version FROM pragma_version()").fetchone()
platform, = duckdb.sql("PRAGMA platform").fetchone()
print(pathlib.Path(duckdb_extension_httpfs.__file__).parent / "extensions" / version / "httpfs.duckdb_extension")
print(pathlib.Path(".duckdb", "extensions", version, platform))
`
