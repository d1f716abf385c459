/**
 * Packs chains that `recordChains.ts` has recorded, and that `contracts/oracle` has found equal, into a fixture of a tenth of the size:
 *
 * bun scripts/packChains.ts fixtures/engine/chains.jsonl.gz /tmp/chains.jsonl
 *
 * Chains of protocols before 2.2 are left out, because that engine is not theirs. Wasm of the contracts and of the fixtures is referenced by its path, and stored wasm is replaced by its BLAKE2b hash.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { blake2b } from '../packages/casper-devnet/src/blake2b.ts'

const [target, ...paths] = process.argv.slice(2)
if (target === undefined || paths.length === 0) {
  console.error('usage: bun scripts/packChains.ts TARGET FILE...')
  process.exit(2)
}

const folders = ['contracts/wasm', 'fixtures/chain']
const wasmPaths = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.wasm'))
    .map((name) => `${folder}/${name}`),
)
const byHex = new Map(wasmPaths.map((path) => [readFileSync(path).toString('hex'), path]))

const hashOf = (hex: string): string => blake2b(Uint8Array.fromHex(hex)).toHex()

const pack = (line: string): string =>
  line
    .replace(/"module_bytes":"([0-9a-f]+)"/g, (whole, hex) => {
      const path = byHex.get(hex)
      return path === undefined ? whole : `"module_bytes":"<${path}>"`
    })
    .replace(
      /("ContractWasm":\{"bytes":)"([0-9a-f]+)"/g,
      (_, start, hex) => `${start}"blake2b ${hashOf(hex)}"`,
    )

/** Hashes of the blocks that are packed. */
const packed = new Set<string>()
const lines: string[] = []
for (const line of paths.flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'))) {
  const { genesis, block } = JSON.parse(line)
  const { hash } = genesis ?? block
  const isOlder =
    block === undefined ? genesis.chainspec.protocol.version[1] < 2 : !packed.has(block.parent_hash)
  if (isOlder || packed.has(hash)) continue
  packed.add(hash)
  lines.push(pack(line))
}
writeFileSync(target, gzipSync(`${lines.join('\n')}\n`, { level: 9 }))
