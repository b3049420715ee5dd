# tunehub-server with a PostgreSQL of its own; the volume /var/lib/tunehub has its data.
#   deploy/images                                                  by buildah, from a base made here
#   docker build -f deploy/docker/server.Dockerfile -t tunehub-server .     all of it compiled inside
#   docker run -p 8080:8080 -e TUNEHUB_HOST=hub.example -v tunehub:/var/lib/tunehub tunehub-server
ARG BASE=debian:12

FROM ${BASE} AS packages
# A folder of this tree with finished packages. If it is empty, the packages are made here.
ARG PACKAGES=
WORKDIR /source
COPY . .
RUN mkdir /packages && \
    if [ -n "$PACKAGES" ]; then cp "$PACKAGES"/tunehub-server_*.deb /packages; else deploy/package /packages; fi

FROM ${BASE}
COPY --from=packages /packages/tunehub-server_*.deb /tmp/
# Debian would make a system cluster beside the server's own.
RUN mkdir -p /etc/postgresql-common && \
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf && \
    apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      -o Dpkg::Options::=--force-confold curl /tmp/tunehub-server_*.deb && \
    rm -rf /tmp/tunehub-server_*.deb /var/lib/apt/lists/* /var/cache/apt/archives/*.deb && \
    chmod 0644 /etc/tunehub/server.json
# Any user that the image runs as can read these settings (a pod's user is a number); they hold no secret.
ENV TUNEHUB_LISTEN=0.0.0.0:8080
USER tunehub
WORKDIR /var/lib/tunehub
VOLUME /var/lib/tunehub
EXPOSE 8080
STOPSIGNAL SIGTERM
# A start may spend minutes on a database's recovery.
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s \
  CMD curl -fsS -o /dev/null --noproxy '*' ${TUNEHUB_TLS_CERTIFICATE:+--insecure} \
    "http${TUNEHUB_TLS_CERTIFICATE:+s}://127.0.0.1:${TUNEHUB_LISTEN##*:}/readyz"
ENTRYPOINT ["tunehub-server"]
CMD ["serve", "--migrate"]
