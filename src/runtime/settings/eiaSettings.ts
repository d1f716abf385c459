import { Type } from '@sinclair/typebox'
import type { SettingValues } from './settings.ts'
import { httpUrl, word } from './textTypes.ts'

/** How a program queries EIA. */
export const eiaSettings = {
  EIA_API_KEY: Type.Optional(
    word('a key', {
      description: "key for EIA's API, free at https://www.eia.gov/opendata/register.php",
      needed: { when: 'to query EIA', why: 'it is free at https://www.eia.gov/opendata/register.php' },
      isSecret: true,
    }),
  ),
  EIA_BASE_URL: httpUrl({
    description: 'URL of the API, which may have a path',
    default: 'https://api.eia.gov',
  }),
  EIA_RPS: Type.Number({
    exclusiveMinimum: 0,
    // EIA allows fewer than five requests per second.
    maximum: 1_000,
    default: 4,
    description: 'requests per second to EIA, which suspends keys that send 5',
  }),
}
export type EiaSettings = SettingValues<typeof eiaSettings>
