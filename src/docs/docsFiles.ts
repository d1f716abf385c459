import { buildDocs } from './docsBuild.ts' with { type: 'macro' }

/** The pages of the documentation: rendered when this module is loaded from source, and when a binary is compiled. */
export const docsFiles = buildDocs()
