/**
 * A preload that gives another protocol to the embedded chains for which none is asked: `CASPER_PROTOCOL=2.0.3`. Tests have it by
 * `preload.ts`, and pass it on to a program that makes a chain of its own and has no option for it.
 */
const { CASPER_PROTOCOL } = process.env

if (CASPER_PROTOCOL !== undefined)
  Bun.plugin({
    name: 'protocol',
    setup(build) {
      build.onLoad({ filter: /\/casper-devnet\/src\/defaultProtocol\.ts$/ }, () => ({
        contents: `export const defaultProtocol = ${JSON.stringify(CASPER_PROTOCOL)}`,
        loader: 'ts',
      }))
    },
  })
