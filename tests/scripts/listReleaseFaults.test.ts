import { describe, expect, test } from 'bun:test'
import { listReleaseFaults, type ReleaseSource } from '../../scripts/release/listReleaseFaults.ts'

const ready: ReleaseSource = {
  version: '1.2.3',
  manifestVersion: '1.2.3',
  changelog:
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-23\n\nText.\n\n## [1.2.2] - 2026-11-01\n',
  changedFiles: [],
  tags: ['v1.2.2', 'v1.2.30'],
  ownTags: [],
  isTagged: false,
}

describe('listReleaseFaults', () => {
  test('default: none', () => {
    expect(listReleaseFaults(ready)).toEqual([])
  })

  test('behavior: a pre-release may be released', () => {
    const version = '1.2.3-rc.1'
    const changelog = `## [${version}] - 2026-11-23\r\n`
    expect(listReleaseFaults({ ...ready, version, manifestVersion: version, changelog })).toEqual([])
  })

  test('behavior: a commit that has its tag may be built', () => {
    const tags = ['v1.2.2', 'v1.2.3']
    expect(listReleaseFaults({ ...ready, tags, ownTags: ['v1.2.3'], isTagged: true })).toEqual([])
  })

  test.each([
    [
      'a version with "v"',
      { version: 'v1.2.3', changelog: '## [v1.2.3] - 2026-11-23' },
      '"v1.2.3" is not a version like 1.2.3 or 1.2.3-rc.1; leave out the "v" and build metadata',
    ],
    [
      'another version than that of package.json',
      { manifestVersion: '1.2.2' },
      'package.json has version "1.2.2", not "1.2.3": set "version" there and commit it',
    ],
    [
      'no section in the changelog',
      { changelog: '## [1.2.30] - 2026-11-23\n## [1.2.2] - 2026-11-01\n' },
      'CHANGELOG.md has no section "## [1.2.3] - YYYY-MM-DD": move the entries of [Unreleased] there',
    ],
    [
      'a section without a date',
      { changelog: '## [1.2.3]\n' },
      'CHANGELOG.md: "## [1.2.3]" has no valid date: write "## [1.2.3] - YYYY-MM-DD"',
    ],
    [
      'a section with a day that does not exist',
      { changelog: '## [1.2.3] - 2026-13-01\n' },
      'CHANGELOG.md: "## [1.2.3] - 2026-13-01" has no valid date: write "## [1.2.3] - YYYY-MM-DD"',
    ],
    [
      'uncommitted changes',
      { changedFiles: ['README.md', 'src/new.ts'] },
      'the working tree has uncommitted changes (README.md, src/new.ts): commit or remove them',
    ],
    [
      'a tag that exists',
      { tags: ['v1.2.3'] },
      'tag v1.2.3 exists: release another version, or delete an unpublished tag with "git tag -d v1.2.3"',
    ],
    [
      'a tag of another commit',
      { tags: ['v1.2.3'], isTagged: true },
      'this commit does not have the tag v1.2.3: check it out',
    ],
  ])('error: %s', (_, change, fault) => {
    expect(listReleaseFaults({ ...ready, ...change })).toEqual([fault])
  })

  test('behavior: every fault is listed', () => {
    const faults = listReleaseFaults({ ...ready, version: '2.0.0', changedFiles: ['a'], tags: ['v2.0.0'] })
    expect(faults).toHaveLength(4)
  })
})
