import { buildDocs } from './docsBuild.ts' with { type: 'macro' }

/** The pages of the documentation, rendered when a binary is compiled, or when this module is loaded from source. */
export const docsFiles = buildDocs()
