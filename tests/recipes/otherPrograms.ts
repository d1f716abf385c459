import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findProgram } from '../support/installed.ts'

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Whether the R of the machine can run. */
export const r = findProgram('Rscript', 'REQUIRE_R')

export const libreOffice = findProgram('soffice', 'REQUIRE_LIBREOFFICE')

export const jq = findProgram('jq', 'REQUIRE_JQ')

/** The folder of packages that only these tests need. */
export const toolsFolder = pathOf('scripts/recipes')

/** Whether its packages are installed; `REQUIRE_RECIPE_TOOLS=1` makes their tests mandatory. */
export const hasTools = existsSync(`${toolsFolder}/node_modules`) || process.env.REQUIRE_RECIPE_TOOLS === '1'

if (!hasTools)
  console.warn('skipped: tests with packages of scripts/recipes; run "bun install --cwd scripts/recipes"')

/** The Python that has `homeassistant`, `jsonpath` and `xmltodict`. Nothing requires it, because it takes 400 MB. */
export const homeAssistant = process.env.HOME_ASSISTANT_PYTHON

if (homeAssistant === undefined)
  console.warn('skipped: tests with Home Assistant; set HOME_ASSISTANT_PYTHON to a Python that has it')
