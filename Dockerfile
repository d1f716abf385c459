# The binary holds the runtime, the catalog and the documentation's page; nothing else goes along.
FROM oven/bun:1.4.4 AS build
WORKDIR /wattfeed
COPY package.json bun.lock bunfig.toml tsconfig.json ./
RUN bun install --frozen-lockfile
COPY src ./src
RUN bun run build

# glibc and root certificates, no shell.
FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /wattfeed/dist/wattfeed /usr/local/bin/wattfeed
USER nonroot
ENV PORT=4030
EXPOSE 4030
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s --retries=3 CMD ["/usr/local/bin/wattfeed", "health"]
ENTRYPOINT ["/usr/local/bin/wattfeed"]
