import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { type Ended, runToEnd } from '../support/program.ts'

const contracts = join(import.meta.dir, '../../contracts')

const rustlib = 'sysroot/lib/rustlib'

/** Folder of the std sources on the machine. */
export const library = `${rustlib}/src/rust/library`

/** File that shows that the compiler has them. */
export const librarySources = `${library}/Cargo.lock`

/** The one schema that the machine writes. */
const schemaFile = 'feed_registry_schema.json'

/** Path of the schema on the machine. */
export const schemaPath = `contracts/resources/casper_contract_schemas/${schemaFile}`

/** A folder with the scripts, on a machine with fake tools: cargo's output is the text of `source`. */
export interface Machine extends Disposable {
  folder: Folder
  build(...args: string[]): Promise<Ended>
  check(...args: string[]): Promise<Ended>
  /** Replaces a tool by these lines of shell. */
  setTool(name: string, script: string): void
  setSource(text: string): void
}

/** The version output of each tool. */
export const versions = {
  rustc: 'rustc 1.96.0 (01234567 2026-05-25)',
  cargo: 'cargo 1.95.0 (89abcdef 2026-03-21)',
  'rust-lld': 'LLD 22.1.2',
  'wasm-opt': 'wasm-opt version 108',
  'wasm-strip': '1.0.32',
} as const

export function createMachine(): Machine {
  const folder = createFolder()
  const { path } = folder
  for (const each of ['contracts/wasm', 'bin', `${rustlib}/host/bin`, library])
    mkdirSync(join(path, each), { recursive: true })
  for (const script of ['build', 'check']) cpSync(join(contracts, script), join(path, 'contracts', script))
  const setTool = (name: string, script: string): void => {
    folder.write(`bin/${name}`, `#!/bin/sh\n${script}\n`, 0o755)
  }
  for (const [name, script] of Object.entries(toolsAt(path))) setTool(name, script)
  folder.write(`${rustlib}/host/bin/rust-lld`, `#!/bin/sh\necho '${versions['rust-lld']}'\n`, 0o755)
  folder.write(librarySources, '')
  const settings = { PATH: `${path}/bin:/usr/bin:/bin`, RUSTC: 'rustc', TMPDIR: path }
  const run = (script: string, args: string[]): Promise<Ended> =>
    runToEnd([join(path, 'contracts', script), ...args], settings, path)
  return {
    folder,
    setTool,
    build: (...args) => run('build', args),
    check: (...args) => run('check', args),
    setSource: (text) => writeFileSync(join(path, 'contracts/source'), text),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const toolsAt = (path: string): Record<string, string> => ({
  rustc: `case "$*" in
    --version) echo '${versions.rustc}' ;;
    '--print sysroot') echo ${path}/sysroot ;;
  esac`,
  cargo: `if [ "$1" = --version ]; then echo '${versions.cargo}'; exit; fi
  if [ "$1" = run ]; then
    while [ "$1" != -- ]; do shift; done
    { cat source; echo "$3"; } >"$2/${schemaFile}"
    exit
  fi
  while [ "$1" != --target-dir ]; do shift; done
  release=$2/wasm32-unknown-unknown/release
  while [ "$1" != --bin ]; do shift; done
  mkdir -p "$release"
  { cat source; echo "$ODRA_MODULE"; } >"$release/$2.wasm"`,
  'wasm-opt': `if [ "$1" = --version ]; then echo '${versions['wasm-opt']}'; exit; fi
  for argument; do case $argument in *.tmp) input=$argument ;; *.wasm) cp "$input" "$argument" ;; esac; done`,
  'wasm-strip': `if [ "$1" = --version ]; then echo '${versions['wasm-strip']}'; fi`,
})
