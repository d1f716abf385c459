/** What a command found out or did. */
export interface Outcome {
  /** What `--json` prints. */
  report: object
  /** The same for people. */
  text: string
  exitCode: number
}

/** Who is told what happens on the way. */
export interface Listener {
  /** Told what a person should know. */
  warn: (message: string) => void
  /** Told, a line at a time, how far long work has got. */
  progress: (line: string) => void
}
