import { join } from 'node:path'
import { $ } from 'bun'

const modules = join(import.meta.dir, '../../../node_modules')

/** A registry of npm on loopback, with the packages that are installed in the repository. */
export interface LoopbackRegistry extends AsyncDisposable {
  /** `http://127.0.0.1:40123/` */
  readonly url: string
}

interface Installed {
  readonly folder: string
  readonly manifest: { readonly name: string; readonly version: string }
}

/** Starts a registry, because a test has no network. It has each version that is installed, also below other packages. */
export async function startLoopbackRegistry(): Promise<LoopbackRegistry> {
  const installed = await listInstalled()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch({ url }) {
      const { origin, pathname } = new URL(url)
      const [, name = '', version] = /^\/(.+?)(?:\/-\/(.+)\.tgz)?$/.exec(decodeURIComponent(pathname)) ?? []
      const versions = installed.filter(({ manifest }) => manifest.name === name)
      if (version === undefined) return Response.json(describe(origin, name, versions))
      const found = versions.find(({ manifest }) => manifest.version === version)
      return found === undefined ? new Response('', { status: 404 }) : new Response(await pack(found.folder))
    },
  })
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** A folder may have another name than its package. */
async function listInstalled(): Promise<Installed[]> {
  const paths = ['', '**/node_modules/'].flatMap((above) =>
    ['*', '@*/*'].flatMap((name) => [
      ...new Bun.Glob(`${above}${name}/package.json`).scanSync({ cwd: modules }),
    ]),
  )
  return Promise.all(
    paths.map(async (path) => ({
      folder: join(modules, path, '..'),
      manifest: await Bun.file(join(modules, path)).json(),
    })),
  )
}

/** What a registry says of a package. */
function describe(origin: string, name: string, installed: readonly Installed[]) {
  const versions = installed.map(({ manifest }) => [
    manifest.version,
    { ...manifest, scripts: {}, dist: { tarball: `${origin}/${name}/-/${manifest.version}.tgz` } },
  ])
  const latest = installed[0]?.manifest.version
  return { name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }
}

const pack = (folder: string): Promise<Blob> =>
  $`tar --create --gzip --directory ${folder} --exclude ./node_modules --transform s,^[.],package, .`.blob()
