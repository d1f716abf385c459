import { buildVerifier } from './verifierBuild.ts' with { type: 'macro' }

/** The verifier's page, built when a binary is compiled, or when this module is loaded from source. */
export const verifierFile = buildVerifier()
