import { fileURLToPath } from 'node:url'
import { defaultProtocol } from '@wattfeed/casper-devnet/testing/internals'

const preload = fileURLToPath(import.meta.resolve('@wattfeed/testing/protocol'))

/** The start of a command that runs a file of this repository, whose chains then have the protocol of the tests' chains. */
export const bunWithProtocol = [
  'env',
  `CASPER_PROTOCOL=${defaultProtocol}`,
  process.execPath,
  '--preload',
  preload,
]
