# An image that builds AITER's modules from a hub's tables: the tables are in AITER's own files before AITER compiles.
#   docker build -f aiter.Dockerfile --build-arg BASE=YOUR/AITER:TAG --build-arg HUB=URL --build-arg PIN=PIN \
#     --secret id=tunehub_key,src=tunehub.key -t aiter-tuned .
# The folder has tunehub-agent (from its tar.gz) and tunehub.pub (the hub's key, in minisign's format). tunehub.key has
# an API key of scope submit: `install` sends the hub the list of this AITER's kernels, and gets only rows that they run.
# PIN: `install` takes the hub's newest revision and has no lock file. With PIN the build fails if the hub has moved on.
# Never run: with docker, with a real AITER, on ROCm. buildah builds this file on a stand-in (tests/packages/recipes).
ARG BASE
FROM ${BASE}
ARG HUB
ARG PIN=
ARG GPU_ARCHS=gfx942
# An AITER checkout, or the folder of the installed package.
ARG AITER=/opt/aiter
RUN --mount=type=bind,target=/tunehub --mount=type=secret,id=tunehub_key \
    TUNEHUB_KEY=$(cat /run/secrets/tunehub_key) && export TUNEHUB_KEY && mkdir -p /opt/tunehub && \
    /tunehub/tunehub-agent install "$AITER" --hub "$HUB" --gpu-archs "$GPU_ARCHS" --trust /tunehub/tunehub.pub --json \
      >/opt/tunehub/installed.json && \
    python3 -c 'import json, sys; pin = json.load(open("/opt/tunehub/installed.json"))["pin"]; sys.exit(f"PIN is {sys.argv[1]}, but the hub is at {pin}: compare the two, then change PIN" if sys.argv[1] not in ("", pin) else 0)' "$PIN"
# Then compile AITER's modules as your build does, for example: RUN cd "$AITER" && python3 setup.py develop
# Leave the variables AITER_CONFIG_... unset: AITER would read the files that they name instead of its own.
