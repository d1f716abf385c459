import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createMachine, library, librarySources, type Machine, schemaPath, versions } from './machine.ts'

/** Runs on a machine that has built its contracts. */
async function withBuilt<T>(use: (machine: Machine) => Promise<T>): Promise<T> {
  using machine = createMachine()
  machine.setSource('first')
  expect(await machine.build()).toMatchObject({ exitCode: 0 })
  return await use(machine)
}

const readWasm = ({ folder }: Machine, file: string): string =>
  readFileSync(`${folder.path}/contracts/wasm/${file}`, 'utf8')

describe('contracts/build', () => {
  test('default: writes every contract, its checksum, and the versions of the tools', () =>
    withBuilt(async (machine) => {
      const contracts = ['AttestationRegistry', 'Board', 'Committee', 'EligibilityGate', 'FeedRegistry']
      const lines = readWasm(machine, 'SHA256SUMS').trimEnd().split('\n')
      expect(lines.map((line) => line.slice(66))).toEqual(contracts.map((name) => `${name}.wasm`))
      expect(contracts.map((name) => readWasm(machine, `${name}.wasm`))).toEqual(
        contracts.map((name) => `first${name}\n`),
      )
      expect(readWasm(machine, 'TOOLCHAIN').trimEnd().split('\n')).toEqual([
        versions.rustc,
        expect.stringMatching(/^std from source, sha256 [0-9a-f]{64}$/),
        versions.cargo,
        versions['rust-lld'],
        versions['wasm-opt'],
        `wasm-strip ${versions['wasm-strip']}`,
      ])
    }))

  test('default: writes the schemas, which name the compiler of the wasm', () =>
    withBuilt(async ({ folder }) => {
      expect(readFileSync(`${folder.path}/${schemaPath}`, 'utf8')).toBe(`first${versions.rustc}\n`)
    }))

  test('error: no compiler with the sources of std', async () => {
    using machine = createMachine()
    rmSync(`${machine.folder.path}/${librarySources}`)
    const { exitCode, stderr } = await machine.build()
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('no compiler with the sources of core')])
  })

  test('behavior: std from source is named by its checksum', async () => {
    using machine = createMachine()
    const { folder } = machine
    const first = await machine.build('--tools')
    folder.write(`${library}/core.rs`, 'pub fn copy() {}')
    const second = await machine.build('--tools')
    const digests = [first, second].map(
      ({ stdout }) => /^std from source, sha256 ([0-9a-f]{64})$/m.exec(stdout)?.[1],
    )
    expect(new Set(digests).size).toBe(2)
    expect(digests).not.toContain(undefined)
  })

  test('error: an argument that is invalid', async () => {
    using machine = createMachine()
    const { exitCode, stderr } = await machine.build('--stub')
    expect([exitCode, stderr]).toEqual([1, 'contracts/build: unknown argument --stub\n'])
  })
})

describe('contracts/check', () => {
  test('default: the same bytes: exit code 0, and nothing is left behind', () =>
    withBuilt(async (machine) => {
      const before = readdirSync(machine.folder.path)
      const { exitCode, stdout } = await machine.check()
      expect([exitCode, stdout]).toEqual([0, 'contracts/check: the wasm is what the sources say\n'])
      expect(readdirSync(machine.folder.path)).toEqual(before)
    }))

  test('error: different sources: exit code 1, every contract named', () =>
    withBuilt(async (machine) => {
      machine.setSource('second')
      const { exitCode, stdout, stderr } = await machine.check()
      expect(exitCode).toBe(1)
      for (const name of ['AttestationRegistry', 'Board', 'Committee', 'EligibilityGate', 'FeedRegistry'])
        expect(stdout).toContain(`wasm/${name}.wasm`)
      expect(stderr).toContain('the wasm is not what the sources say: run contracts/build')
      expect(readWasm(machine, 'FeedRegistry.wasm')).toBe('firstFeedRegistry\n')
    }))

  test('error: wasm that its checksum contradicts: exit code 1', () =>
    withBuilt(async (machine) => {
      machine.folder.write('contracts/wasm/FeedRegistry.wasm', 'other')
      const { exitCode, stdout, stderr } = await machine.check()
      expect([exitCode, stdout + stderr]).toEqual([1, expect.stringContaining('FeedRegistry.wasm: FAILED')])
    }))

  test.each([
    ['rustc', 'rustc 1.97.0'],
    ['cargo', 'cargo 1.96.0'],
    ['wasm-opt', 'wasm-opt version 109'],
    ['wasm-strip', '1.0.33'],
  ] as const)('error: another %s: exit code 3, and both versions named', (tool, other) =>
    withBuilt(async (machine) => {
      const script = readFileSync(`${machine.folder.path}/bin/${tool}`, 'utf8')
      machine.setTool(tool, script.replace(versions[tool], other))
      const { exitCode, stdout, stderr } = await machine.check()
      expect([exitCode, stdout]).toEqual([3, ''])
      const lines = stderr.split('\n')
      const prefix = tool === 'wasm-strip' ? 'wasm-strip ' : ''
      expect(lines).toContain(`-${prefix}${versions[tool]}`)
      expect(lines).toContain(`+${prefix}${other}`)
      expect(lines).toContain('contracts/check: cannot compare: the wasm was built with other tools')
    }),
  )

  test('error: tools that are missing: exit code 3', () =>
    withBuilt(async (machine) => {
      rmSync(`${machine.folder.path}/${librarySources}`)
      const { exitCode, stderr } = await machine.check()
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringContaining('contracts/check: cannot compare without these tools'),
      ])
    }))
})
