import { Converter, ReflectionKind } from 'typedoc'

/** Omits members that a page need not repeat. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const reflection of Object.values(project.reflections))
      if (isOmitted(reflection)) project.removeReflection(reflection)
  })
}

function isOmitted(reflection) {
  // The page of the parent has them.
  if (reflection.flags.isInherited) return true
  // All classes are errors. Only wattfeed creates them, and their name is the title of the page.
  if (!reflection.parent?.kindOf(ReflectionKind.Class)) return false
  return reflection.kindOf(ReflectionKind.Constructor) || reflection.name === 'name'
}
