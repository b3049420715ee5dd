# tunehub-server with its own PostgreSQL. The volume /var/lib/tunehub contains its data.
#   deploy/images                                                  with buildah, on a base made on this host
#   docker build -f deploy/docker/server.Dockerfile -t tunehub-server .     compiles everything in the image
#   docker run -p 8080:8080 -e TUNEHUB_HOST=hub.example -v tunehub:/var/lib/tunehub tunehub-server
ARG BASE=debian:12

FROM ${BASE} AS packages
# A folder of this tree with finished packages. If the argument is empty, this build makes the packages.
ARG PACKAGES=
WORKDIR /source
COPY . .
RUN mkdir /packages && \
    if [ -n "$PACKAGES" ]; then cp "$PACKAGES"/tunehub-server_*.deb /packages; else deploy/package /packages; fi

FROM ${BASE}
COPY --from=packages /packages/tunehub-server_*.deb /tmp/
# Prevents Debian from making a system-wide cluster beside the server's own.
RUN mkdir -p /etc/postgresql-common && \
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf && \
    apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      -o Dpkg::Options::=--force-confold curl /tmp/tunehub-server_*.deb && \
    rm -rf /tmp/tunehub-server_*.deb /var/lib/apt/lists/* /var/cache/apt/archives/*.deb && \
    chmod 0644 /etc/tunehub/server.json
# server.json contains no secret. Every user can read it, because a pod may run under any user number.
ENV TUNEHUB_LISTEN=0.0.0.0:8080
USER tunehub
WORKDIR /var/lib/tunehub
VOLUME /var/lib/tunehub
EXPOSE 8080
STOPSIGNAL SIGTERM
# After a crash, the database's recovery may take minutes.
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s \
  CMD curl -fsS -o /dev/null --noproxy '*' ${TUNEHUB_TLS_CERTIFICATE:+--insecure} \
    "http${TUNEHUB_TLS_CERTIFICATE:+s}://127.0.0.1:${TUNEHUB_LISTEN##*:}/readyz"
ENTRYPOINT ["tunehub-server"]
CMD ["serve", "--migrate"]
