import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild'
import type { BunPlugin } from 'bun'

const entries = [
  'src/index.ts',
  'src/tables/tableWorker.ts',
  'src/web/chart/pictureWorker.ts',
  'src/web/explorer/main.tsx',
  'src/web/explorer/verifier/main.tsx',
]

/**
 * Writes a validated CycloneDX SBOM of the npm packages inside the program and its pages, without development tools.
 * Run it in the folder of `package.json`, where the tool looks for the file.
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
    // The manifest describes packages that are not included, and the tool would list it as a package.
    external: ['*/prover/package.json'],
    // The plugin supports Bun, but has the type of an esbuild plugin.
    plugins: [plugin as unknown as BunPlugin],
  })
  // The repository's own packages are in no registry. A scanner would look up another's by their names.
  const sbom = await Bun.file(path).json()
  for (const component of sbom.components) if (component.group === '@wattfeed') delete component.purl
  await Bun.write(path, `${JSON.stringify(sbom, null, 2)}\n`)
}
