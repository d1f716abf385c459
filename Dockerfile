# An image with a known digest is pinned to it. This command prints the current digest of a tag:
#   docker buildx imagetools inspect <image>:<tag> --format '{{.Manifest.Digest}}'
# Pass it with --build-arg BUN_IMAGE=oven/bun:1.4.4@sha256:…
ARG BUN_IMAGE=oven/bun:1.4.4
ARG BASE_IMAGE=gcr.io/distroless/base-debian12:nonroot@sha256:7f0c72cd138b442ae0deeb69c08b1acf5525439ba251a49ad93c320a061567e5

# The binary contains the runtime, every command, the catalog, the feeds, the contracts, the documentation and
# the demo's figures.
FROM ${BUN_IMAGE} AS build
WORKDIR /wattfeed
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY packages ./packages
RUN bun install --production --omit=peer --frozen-lockfile
COPY src ./src
COPY contracts/wasm ./contracts/wasm
COPY docs ./docs
COPY fixtures/eia ./fixtures/eia
COPY fixtures/chain/openGate.wasm ./fixtures/chain/openGate.wasm
COPY CHANGELOG.md SECURITY.md ./
RUN bun run build

# glibc and root certificates, no shell.
FROM ${BASE_IMAGE}
COPY --from=build /wattfeed/dist/wattfeed /usr/local/bin/wattfeed
USER nonroot
ENV PORT=4030
EXPOSE 4030
# This checks the server. Run the agent with --no-healthcheck, and monitor its own /health.
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s --retries=3 CMD ["/usr/local/bin/wattfeed", "health"]
ENTRYPOINT ["/usr/local/bin/wattfeed"]
