import type { EiaParameters } from './eiaParameters.ts'

/** The members around a `response` of EIA's API. */
export interface EiaEnvelope {
  readonly request: { readonly command: string; readonly params: EiaParameters }
  readonly apiVersion: string
  readonly ExcelAddInVersion: string
}

/** The version of EIA's API whose answers were recorded. */
export const EIA_API_VERSION = '2.1.8'

/**
 * Returns what EIA writes beside the `response` of an answer.
 *
 * @param path - below `/v2/`, without a slash at its end
 * @param params - EIA echoes all of them, also the key
 */
export const envelopeOf = (
  path: string,
  params: EiaParameters,
  apiVersion: string = EIA_API_VERSION,
): EiaEnvelope => ({
  request: { command: path === '' ? '/v2/' : `/v2/${path}/`, params },
  apiVersion,
  ExcelAddInVersion: '2.1.0',
})
