import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { generateApiPages, hasTypedoc } from '../../scripts/generateApiPages.ts'

/** Functions that the pages of each package describe. */
const packages = {
  casper: ['createRpc', 'createGlobalState', 'createProvenState', 'verifyMerkleProof', 'createSqliteStore'],
  'casper-devnet': ['createDevnet', 'startDevnet', 'createSender'],
  eia: ['createEiaClient', 'findCalendar', 'searchDatasets'],
}

describe.if(hasTypedoc)('the API pages', () => {
  test.each(Object.entries(packages))('default: of %s describe each export', async (name, functions) => {
    using folder = createFolder()
    await generateApiPages(name, folder.path)
    const pages = [...new Bun.Glob('functions/*.html').scanSync(folder.path)]
    for (const each of functions) expect(pages.join('\n')).toContain(`${each}.html`)
    expect(await Bun.file(join(folder.path, 'index.html')).text()).toContain('How it was checked')
  })
})
