# The daemon tunehub-agent. The volume /var/lib/tunehub-agent contains its spool and state.
#   deploy/images                                                  with buildah, on a base made on this host
#   docker build -f deploy/docker/agent.Dockerfile -t tunehub-agent .      compiles everything in the image
#   docker run -e TUNEHUB_HUB=http://hub:8080 -e TUNEHUB_KEY=thub_... -v agent:/var/lib/tunehub-agent tunehub-agent
# For an AMD GPU the image needs ROCm's driver library, for example by --build-arg RUN_BASE=rocm/dev-ubuntu-22.04. The
# container needs --device /dev/kfd --device /dev/dri --group-add video --group-add render.
ARG BASE=debian:12
ARG RUN_BASE=${BASE}

FROM ${BASE} AS packages
# A folder of this tree with finished packages. If the argument is empty, this build makes the packages.
ARG PACKAGES=
WORKDIR /source
COPY . .
RUN mkdir /packages && \
    if [ -n "$PACKAGES" ]; then cp "$PACKAGES"/tunehub-agent-*.tar.gz /packages; else deploy/package /packages; fi && \
    tar --extract --gzip --file /packages/tunehub-agent-*.tar.gz --directory /packages --strip-components=1

FROM ${RUN_BASE}
# Certificate authorities, for an https hub.
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb && \
    groupadd --system tunehub && \
    useradd --system --gid tunehub --home-dir /var/lib/tunehub-agent --shell /usr/sbin/nologin tunehub && \
    install -d -o tunehub -g tunehub -m 0750 /var/lib/tunehub-agent
COPY --from=packages /packages/tunehub-agent /usr/local/bin/
ENV TUNEHUB_SPOOL=/var/lib/tunehub-agent/spool
USER tunehub
WORKDIR /var/lib/tunehub-agent
VOLUME /var/lib/tunehub-agent
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=5s --start-period=60s CMD tunehub-agent status
ENTRYPOINT ["tunehub-agent"]
CMD ["run"]
