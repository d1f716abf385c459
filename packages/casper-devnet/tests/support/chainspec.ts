import { chainspecs } from '../../src/chainspec.ts'
import { defaultProtocol } from '../../src/defaultProtocol.ts'

/** The settings of the chains in tests; `CASPER_PROTOCOL=2.0.3` runs all tests with those of that release (`packages/testing/src/preload.ts`). */
export const chainspec = chainspecs[defaultProtocol]
