# An image of vLLM on ROCm with tuned files from a hub: vLLM's fused MoE and GEMM configs, and one table of AITER.
#   docker build -f vllm.Dockerfile --build-arg BASE=YOUR/VLLM:TAG --build-arg BUILD=NAME@SHA256 -t vllm-tuned .
# The folder has three files: tunehub-agent (from its tar.gz), tunehub.pub (the hub's key, in minisign's format) and
# tunehub.lock, which these commands make:
#   tunehub-agent pull --hub URL --lock tunehub.lock --reader vllm --device MI300X -o configs
#   tunehub-agent pull --lock tunehub.lock --family a8w8_blockscale --gfx MI300X --build NAME@SHA256 -o table.csv
# BUILD is the manifest of the image's AITER: `tunehub-agent manifest AITER --put`. The image then has no row at which
# this AITER raises an error.
# Never run: with docker, with a real vLLM, on ROCm. buildah builds this file on a stand-in (tests/packages/recipes).
ARG BASE
FROM ${BASE}
ARG BUILD
ARG DEVICE=MI300X
# The folder is mounted read-only and stays outside the image. So a pull cannot add an entry to the lock file: it
# fetches the pinned bytes, signed by the key, or the build fails.
RUN --mount=type=bind,target=/tunehub \
    /tunehub/tunehub-agent pull --lock /tunehub/tunehub.lock --trust /tunehub/tunehub.pub \
      --reader vllm --device "$DEVICE" -o /opt/tunehub/vllm && \
    /tunehub/tunehub-agent pull --lock /tunehub/tunehub.lock --trust /tunehub/tunehub.pub \
      --family a8w8_blockscale --gfx "$DEVICE" --build "$BUILD" -o /opt/tunehub/a8w8_blockscale.csv
# vLLM reads its block-scaled GEMM configs only from its own package. `install` has no lock file, so this step takes
# hub and revision from the lock. Without such files for DEVICE it fails: then remove the step.
RUN --mount=type=bind,target=/tunehub \
    site=$(python3 -c 'import importlib.util as of; print(of.find_spec("vllm").submodule_search_locations[0] + "/..")') && \
    hub=$(python3 -c 'import json; print(json.load(open("/tunehub/tunehub.lock"))["hub"])') && \
    pin=$(python3 -c 'import json; tables = json.load(open("/tunehub/tunehub.lock"))["tables"]; print(*("{revision}-{token}".format(**it) for it in tables if it.get("reader") == "vllm"))') && \
    /tunehub/tunehub-agent install --reader vllm "$site" --hub "$hub" --trust /tunehub/tunehub.pub \
      --device "$DEVICE" --query "revision=$pin"
ENV VLLM_TUNED_CONFIG_FOLDER=/opt/tunehub/vllm
ENV AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=/opt/tunehub/a8w8_blockscale.csv
