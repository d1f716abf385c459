/** The facts that a release is checked against. */
export interface ReleaseSource {
  /** The version to release. */
  version: string
  /** The version in `package.json`. */
  manifestVersion: string
  /** The text of `CHANGELOG.md`. */
  changelog: string
  /** Files that differ from the commit, and untracked files. */
  changedFiles: readonly string[]
  tags: readonly string[]
  /** The tags of the commit to release. */
  ownTags: readonly string[]
  /** Whether the tag was made before, and names the commit. */
  isTagged: boolean
}

const SEMANTIC_VERSION = /^\d+\.\d+\.\d+(?:-[\dA-Za-z.-]+)?$/

export const tagOf = (version: string): string => `v${version}`

/** Lists everything that prevents a release, each with its fix. */
export const listReleaseFaults = (source: ReleaseSource): string[] =>
  [versionFault(source), changelogFault(source), treeFault(source), tagFault(source)].filter(
    (fault) => fault !== null,
  )

function versionFault({ version, manifestVersion }: ReleaseSource): string | null {
  if (!SEMANTIC_VERSION.test(version))
    return `"${version}" is not a version like 1.2.3 or 1.2.3-rc.1; leave out the "v" and build metadata`
  if (version === manifestVersion) return null
  return `package.json has version "${manifestVersion}", not "${version}": set "version" there and commit it`
}

function changelogFault({ version, changelog }: ReleaseSource): string | null {
  const heading = `## [${version}]`
  const line = changelog.split(/\r?\n/).find((each) => each.startsWith(heading))
  if (line === undefined)
    return `CHANGELOG.md has no section "${heading} - YYYY-MM-DD": move the entries of [Unreleased] there`
  const [, date = ''] = /^ - (\d{4}-\d{2}-\d{2})$/.exec(line.slice(heading.length)) ?? []
  if (!Number.isNaN(Date.parse(date))) return null
  return `CHANGELOG.md: "${line}" has no valid date: write "${heading} - YYYY-MM-DD"`
}

function treeFault({ changedFiles }: ReleaseSource): string | null {
  if (changedFiles.length === 0) return null
  return `the working tree has uncommitted changes (${changedFiles.join(', ')}): commit or remove them`
}

function tagFault({ version, tags, ownTags, isTagged }: ReleaseSource): string | null {
  const tag = tagOf(version)
  if (isTagged) return ownTags.includes(tag) ? null : `this commit does not have the tag ${tag}: check it out`
  if (!tags.includes(tag)) return null
  return `tag ${tag} exists: release another version, or delete an unpublished tag with "git tag -d ${tag}"`
}
