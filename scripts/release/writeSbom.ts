import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild'
import type { BunPlugin } from 'bun'

const entries = [
  'src/index.ts',
  'src/tables/tableWorker.ts',
  'src/explorer/main.tsx',
  'src/explorer/verifier/main.tsx',
]

/**
 * Writes a validated CycloneDX SBOM of the npm packages inside the program and its pages. Development tools are not in it.
 * Run it in the folder of `package.json`, which the tool looks for there.
 *
 * @param path of the file to write
 */
export async function writeSbom(path: string): Promise<void> {
  const plugin = cyclonedxEsbuildPlugin({
    outputFile: path,
    outputReproducible: true,
    validate: true,
    logLevel: 'silent',
  })
  await Bun.build({
    entrypoints: entries,
    target: 'bun',
    splitting: true,
    metafile: true,
    // The manifest of packages that are not inside: the tool would list it as a package.
    external: ['*/prover/package.json'],
    // It supports Bun; its type is that of esbuild's plugins.
    plugins: [plugin as unknown as BunPlugin],
  })
}
