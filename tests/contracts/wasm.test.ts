import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findLaterFeature } from './findLaterFeature.ts'

const folder = join(import.meta.dir, '../../contracts/wasm')
const readWasm = (contract: string) => readFileSync(join(folder, `${contract}.wasm`))

/** The entry points of every contract, and the maximum size of its wasm in bytes. */
const contracts = {
  FeedRegistry: {
    entryPoints: [
      'feed_count',
      'get_attester',
      'get_feed',
      'get_feed_at',
      'register_feed',
      'set_eligibility_gate',
      'state_seed',
      'upgrade',
    ],
    mostBytes: 160_000,
  },
  AttestationRegistry: {
    entryPoints: [
      'attest',
      'attest_many',
      'get_at',
      'get_attester',
      'get_count',
      'get_latest',
      'set_feed_registry',
      'total_attestations',
      'upgrade',
    ],
    mostBytes: 160_000,
  },
  EligibilityGate: {
    entryPoints: [
      'claim',
      'get_roots',
      'granted_count',
      'is_eligible',
      'remove_root',
      'revoke',
      'set_root',
      'upgrade',
    ],
    mostBytes: 185_000,
  },
  Board: { entryPoints: ['get', 'get_latest', 'put', 'put_latest', 'state_seed'], mostBytes: 190_000 },
}

/** Session code, which is not stored. It must fit into the cheapest lane with its arguments. */
const sessions = { Committee: { mostBytes: 8_000 } }

const delivered = Object.entries<{ entryPoints?: string[]; mostBytes: number }>({ ...contracts, ...sessions })

// The gate's own `memcpy`, for 8 bytes at a time. Rust exports it, but no entry point names it, so nobody can call it.
const UNMANGLED = new Set(['memcpy'])

/** The export of session code. */
const session = ['call']

/** Exports of every Odra contract: `call` installs or upgrades it, and the others belong to `call`. */
const installation = ['call', 'init', 'migrate_events']

/** The host functions of a Casper node, version 2. */
const hostFunctions = new Set(
  `add add_associated_key add_contract_version add_contract_version_with_message_topics
  add_package_version_with_message_topics blake2b call_contract call_package_version call_versioned_contract
  create_contract_package_at_hash create_contract_user_group create_purse dictionary_get dictionary_put
  dictionary_read disable_contract_version emit_message enable_contract_version generic_hash get_balance
  get_block_info get_blocktime get_caller get_key get_main_purse get_named_arg get_named_arg_size get_phase
  get_system_contract has_key is_valid_uref load_authorization_keys load_call_stack load_caller_information
  load_named_keys manage_message_topic new_dictionary new_uref print provision_contract_user_group_uref put_key
  random_bytes read_host_buffer read_value recover_secp256k1 remove_associated_key remove_contract_user_group
  remove_contract_user_group_urefs remove_key ret revert set_action_threshold transfer_from_purse_to_account
  transfer_from_purse_to_purse transfer_to_account update_associated_key verify_signature write`
    .split(/\s+/)
    .map((name) => `casper_${name}`),
)

/** Maximum size of a transaction on a node, wasm and arguments together. */
const MOST_TRANSACTION_BYTES = 750_000

describe.each(delivered)('%s.wasm', (contract, { entryPoints, mostBytes }) => {
  const wasm = readWasm(contract)
  const module = new WebAssembly.Module(wasm)

  test('default: exports its entry points and nothing else', () => {
    const exported = WebAssembly.Module.exports(module)
    const functions = exported.filter(({ kind }) => kind === 'function').map(({ name }) => name)
    const named = functions.filter((name) => !UNMANGLED.has(name))
    const expected = entryPoints === undefined ? session : [...entryPoints, ...installation]
    expect(named.sort()).toEqual(expected.sort())
    const others = exported.filter(({ kind }) => kind !== 'function').map(({ name }) => name)
    expect(others.sort()).toEqual(['__data_end', '__heap_base', 'memory'])
  })

  test('behavior: imports only functions of a node', () => {
    const imported = WebAssembly.Module.imports(module)
    expect(imported.length).toBeGreaterThan(5)
    expect(imported.filter(({ module, kind }) => module !== 'env' || kind !== 'function')).toEqual([])
    expect(imported.map(({ name }) => name).filter((name) => !hostFunctions.has(name))).toEqual([])
  })

  test('behavior: uses only the first version of WebAssembly', () => {
    expect(findLaterFeature(wasm)).toBeNull()
  })

  test('behavior: is small', () => {
    expect(wasm.length).toBeLessThanOrEqual(mostBytes)
    expect(wasm.length).toBeLessThan(MOST_TRANSACTION_BYTES - 2_048)
  })

  test('behavior: carries no names and no paths', () => {
    expect(WebAssembly.Module.customSections(module, 'name')).toEqual([])
    expect(WebAssembly.Module.customSections(module, 'producers')).toEqual([])
    expect(wasm.toString('latin1')).not.toMatch(/\/(root|home|Users)\//)
  })
})

describe('SHA256SUMS', () => {
  const lines = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')

  test('default: lists every contract with its checksum', () => {
    const expected = delivered
      .map(([contract]) => contract)
      .sort()
      .map((contract) => `${createHash('sha256').update(readWasm(contract)).digest('hex')}  ${contract}.wasm`)
    expect(lines).toEqual(expected)
  })
})

describe('TOOLCHAIN', () => {
  test('default: states the tools that built the wasm', () => {
    const tools = readFileSync(join(folder, 'TOOLCHAIN'), 'utf8')
    for (const tool of [
      /^rustc \d/m,
      /^std /m,
      /^cargo \d/m,
      /^LLD \d/m,
      /^wasm-opt version/m,
      /^wasm-strip \d/m,
    ]) {
      expect(tools).toMatch(tool)
    }
    expect(tools).not.toMatch(/^std .*\/|\/(root|home|Users)\//m)
  })
})

describe('findLaterFeature', () => {
  /** A module with one function without parameters. */
  const moduleOf = (...instructions: number[]) => {
    const body = [0, ...instructions, 0x0b]
    const code = [1, body.length, ...body]
    const type = [1, 4, 1, 0x60, 0, 0]
    return new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...type, 3, 2, 1, 0, 10, code.length, ...code])
  }

  test('default: nothing is found in what the first version has', () => {
    const wasm = moduleOf(
      0x02,
      0x40,
      0x41,
      0xff,
      0x00,
      0x0e,
      1,
      0,
      0,
      0x0b,
      0x44,
      ...Array(8).fill(0xfc),
      0x1a,
    )
    expect(findLaterFeature(wasm)).toBeNull()
    expect(WebAssembly.validate(wasm)).toBeTrue()
  })

  test.each([
    ['sign extension', [0x41, 0, 0xc0, 0x1a]],
    ['Bulk memory', [0x43, 0, 0, 0, 0, 0xfc, 0, 0x1a]],
    ['unsupported operation', [0xd0, 0x70, 0x1a]],
    ['SIMD', [0xfd, 12, ...Array(16).fill(0), 0x1a]],
  ])('behavior: %s is found', (feature, instructions) => {
    const wasm = moduleOf(...instructions)
    expect(findLaterFeature(wasm)).toContain(feature)
    expect(WebAssembly.validate(wasm)).toBeTrue()
  })

  test('behavior: several results are found', () => {
    const twoResults = [0x60, 0, 2, 0x7f, 0x7f]
    const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 1 + twoResults.length, 1, ...twoResults])
    expect(findLaterFeature(wasm)).toContain('Multi value')
    expect(WebAssembly.validate(wasm)).toBeTrue()
  })
})

describe('the folder', () => {
  test('default: everything else in it is for tests and stays here', () => {
    const files = [...delivered.map(([contract]) => `${contract}.wasm`), 'SHA256SUMS', 'TOOLCHAIN']
    const ignored = readFileSync(join(folder, '../.gitignore'), 'utf8')
    for (const file of files) expect(ignored).toContain(`!/wasm/${file}\n`)
    expect(ignored).toContain('/wasm/*\n')
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(files))
  })
})
