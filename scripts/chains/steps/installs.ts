import { install, named, type Step, session } from './step.ts'

export const installSteps: readonly Step[] = [
  install('install', named('first')),
  install('install', named('second')),
  install('install', named('third')),
  install('new_contract', named('other')),
  install('new_locked_contract', named('locked')),
  // Without the flag of an installation.
  session('install', named('refused')),
  session('no such step'),
]
