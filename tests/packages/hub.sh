# shellcheck shell=bash
# Checks of a hub from a package: the hub serves its page and keeps a row. Sourced after lib.sh.

row_table='tuned/a8w8_blockscale?gfx=gfx942'

# settle ROOT PORT: changes the installed server's address, as an administrator does.
settle() {
  sed -i "s/127.0.0.1:8080/127.0.0.1:$2/" "$1/etc/tunehub/server.json"
  grep -q "127.0.0.1:$2" "$1/etc/tunehub/server.json" || fail "server.json has no address to change"
}

# check_page URL: fetches the dashboard and its script.
check_page() {
  local page script
  page=$(get "$1/")
  script=$(grep -o 'assets/index-[^"]*\.js' <<<"$page" | head -n 1)
  [[ -n $script ]] || fail "the page of $1 names no script: $page"
  get -o /dev/null "$1/$script"
}

# push_row URL KEY: pushes a row in the format of AITER's tuner.
push_row() {
  local kernel=a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_intrawave_v1
  printf '%s\n' gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio \
    "gfx942,80,16,2048,3072,ck,8,2,7.5,$kernel,2.61,1304.22,0.0" |
    get -o "$work/receipt.json" -H "Authorization: Bearer $2" -H 'Content-Type: text/csv' \
      --data-binary @- "$1/results/a8w8_blockscale"
}

# start_hub: starts this build's server on the host. Sets hub_url and hub_key (of scope claim).
start_hub() {
  local port bin=$repo/build/release/bin
  port=$(free_port)
  hub_url=http://127.0.0.1:$port
  chmod o+x "$work" # if root runs this, the server's PostgreSQL runs as another user
  "$bin/tunehub-server" serve --data "$work/hub" --listen "127.0.0.1:$port" >"$work/hub.log" 2>&1 &
  started+=("$!")
  await "$hub_url/readyz" "$!"
  hub_key=$("$bin/tunehub-server" key create --scope claim --data "$work/hub")
}
