/** Preloaded into every run of the tests. */

// Bun 1.4.4 leaves the call of a macro in place if an earlier test file of the process has loaded a macro. The name is then a global.
Object.assign(globalThis, {
  shapeOf: (...args: Parameters<typeof import('../../src/api/shape.ts').shapeOf>) =>
    require('../../src/api/shape.ts').shapeOf(...args),
})
