# syntax=docker/dockerfile:1

# The policies in the image. To use your own: docker build --build-context policies=./my-policies -t authz .
# To use another bundle with an existing image: -v ./policies.js:/authz/dist/policies.js:ro
FROM scratch AS policies
COPY policies /

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM build AS bundle
COPY --from=policies / /policies
RUN node dist/authzc.js compile /policies --out /tmp/generated --bundle /bundle/policies.js

FROM build AS production
RUN npm prune --omit=dev --ignore-scripts

# Serves the folder that is mounted at /policies, and compiles it again when a file changes:
# docker build --target folder -t authz-folder .
# The command lines of the reference PDP work: `server --config=/config/config.yaml`, `healthcheck` (docs/migrating.md).
FROM gcr.io/distroless/nodejs24-debian12:nonroot AS folder
ENV NODE_ENV=production AUTHZ_HC_NOTLS=true
COPY --from=production /src/package.json /authz/
COPY --from=production /src/node_modules /authz/node_modules
COPY --from=production /src/dist /authz/dist
# What bundles are made of.
COPY --from=production /src/runtime /authz/runtime
COPY --from=production /src/compiler /authz/compiler
COPY --from=production /src/packages /authz/packages
COPY --from=production /src/deploy/image/cerbos /cerbos
# Relative paths of a configuration, such as ./policies, begin at the root.
WORKDIR /
USER 65532:65532
EXPOSE 3592 3593
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/nodejs/bin/node", "/authz/dist/authzc.js", "healthcheck"]
ENTRYPOINT ["/nodejs/bin/node", "/authz/dist/authzc.js"]
CMD ["server"]

# The default image has only Node and a compiled bundle: no shell, no package manager.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="authz" \
      org.opencontainers.image.description="An authorization decision service whose policies are compiled" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# AUTHZ_HC_NOTLS is for the health check: with TLS, set it to false and AUTHZ_CONFIG to the configuration.
# MALLOC_MMAP_THRESHOLD_ returns the memory that loading a bundle took, and NODE_OPTIONS limits the space for new objects
# (docs/operations.md).
ENV NODE_ENV=production AUTHZ_HC_NOTLS=true MALLOC_MMAP_THRESHOLD_=131072 NODE_OPTIONS=--max-semi-space-size=16
WORKDIR /authz
COPY --from=production /src/package.json ./
COPY --from=production /src/node_modules ./node_modules
COPY --from=production /src/dist ./dist
COPY --from=bundle /bundle/policies.js ./dist/policies.js
USER 65532:65532
EXPOSE 3592 3593
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/nodejs/bin/node", "dist/server.js", "healthcheck"]
ENTRYPOINT ["/nodejs/bin/node", "dist/server.js"]
