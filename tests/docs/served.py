#!/usr/bin/env python3
"""A hub serves all pages of docs/ at /docs/: every link and picture of every page answers 200, and every page has the
dashboard's Content-Security-Policy. A static export has the same pages."""
import html.parser
import os
import pathlib
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from hub import Hub

REPO = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("TUNEHUB_BIN", REPO / "build/release/bin")).resolve()


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.inline = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[it] for it in ("href", "src") if it in attributes]
        self.anchors |= {attributes["id"]} if "id" in attributes else set()
        if tag in ("script", "style") or any(it == "style" or it.startswith("on") for it in attributes):
            self.inline.append(self.get_starttag_text())


def fetch(address):
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers, b""


def faults(url):
    """Walks all pages from /docs/ on. Returns the faults, and the addresses of the pages."""
    policy = fetch(url + "/")[1]["Content-Security-Policy"]
    wrong, seen, waiting, wanted = [], {}, [(url + "/docs/", "")], []
    while waiting:
        address, come_from = waiting.pop()
        if address in seen:
            continue
        status, headers, body = fetch(address)
        seen[address] = None
        if status != 200:
            wrong.append(f"{come_from}: {address} answers {status}")
        if status != 200 or not address.startswith(url + "/docs/") or not headers["Content-Type"].startswith("text/html"):
            continue
        if headers["Content-Security-Policy"] != policy:
            wrong.append(f"{address}: its policy is {headers['Content-Security-Policy']}")
        page = seen[address] = Page(body.decode())
        wrong += [f"{address}: {it} is inline" for it in page.inline]
        for link in page.links:
            target, anchor = urllib.parse.urldefrag(urllib.parse.urljoin(address, link))
            if target.startswith(url):
                waiting.append((target, address))
                wanted += [(target, anchor, address)] if anchor else []
    wrong += [f"{page}: {target} has no #{anchor}" for target, anchor, page in wanted if seen.get(target) and anchor not in seen[target].anchors]
    return wrong, [it for it, page in seen.items() if page]


def main():
    if not (REPO / "web/dist/docs").exists():
        print("there are no pages: run deploy/build-web")
        return 1
    with tempfile.TemporaryDirectory(prefix="tunehub-served-") as folder:
        os.chmod(folder, 0o755)  # if this runs as root, PostgreSQL runs as another user
        hub = Hub(BIN / "tunehub-server", folder, os.environ)
        try:
            wrong, pages = faults(hub.url)
            moved = urllib.request.urlopen(hub.url + "/docs", timeout=60).url
            wrong += [] if moved == hub.url + "/docs/" else [f"/docs leads to {moved}"]
            wrong += [] if fetch(hub.url + "/docs/none.html")[0] == 404 else ["/docs/none.html does not answer 404"]
        finally:
            hub.close()
    sources = [*(REPO / "docs").rglob("*.md")]
    if len(pages) < len(sources):
        wrong.append(f"{len(pages)} pages can be reached, of {len(sources)} files")
    exported = REPO / "web/dist/export/docs/index.html"
    wrong += [] if exported.exists() else [f"{exported}: missing, so an export has no pages"]
    print(f"{len(pages)} pages", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
