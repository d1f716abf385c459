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
  await Bun.write(path, `${JSON.stringify(withoutOwn(await Bun.file(path).json()), null, 2)}\n`)
}

interface Sbom {
  metadata: { component: { 'bom-ref': string } }
  components: readonly { 'bom-ref': string }[]
  dependencies: readonly { ref: string; dependsOn?: readonly string[] }[]
}

/** The repository's packages are part of the program and in no registry. What they depend on, the program does. */
function withoutOwn(sbom: Sbom): Sbom {
  const isOwn = (ref: string): boolean => /^(@wattfeed\/|wattfeed@)/.test(ref)
  const root = sbom.metadata.component['bom-ref']
  const ofOwn = sbom.dependencies.filter(({ ref }) => ref === root || isOwn(ref))
  const all = ofOwn.flatMap(({ dependsOn = [] }) => dependsOn).filter((ref) => !isOwn(ref))
  return {
    ...sbom,
    components: sbom.components.filter((each) => !isOwn(each['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => !isOwn(ref))
      .map((each) => (each.ref === root ? { ref: root, dependsOn: [...new Set(all)].sort() } : each)),
  }
}
