// `with { type: 'file' }` makes such an import the path of the file, embedded in the compiled binary.
declare module '*.wasm' {
  const path: string
  export default path
}

declare module '*.ttf' {
  const path: string
  export default path
}

declare module '*/SHA256SUMS' {
  const path: string
  export default path
}

declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string
  export default path
}

declare module '*.css' {
  const path: string
  export default path
}
