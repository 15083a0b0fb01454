#!/usr/bin/env python3
"""Makes the search of the site work when pages are opened as files. Browsers do not start web workers there, and the
theme would fetch a replacement from the network; this script adds a replacement to the site.

Usage: offline.py SITE
"""
import os
import pathlib
import re
import sys

SHIM = """// A worker for pages that are opened as files: the script runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.hidden = true;
      this.inside = frame.contentWindow;
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
      const load = address => new Promise((done, failed) => {
        const script = this.inside.document.createElement("script");
        Object.assign(script, {src: new URL(address, document.baseURI), onload: done, onerror: failed});
        this.inside.document.body.append(script);
      });
      this.inside.importScripts = (...addresses) => Promise.all(addresses.map(load));
      this.ready = load(url);
    }
    postMessage(data) { this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", {data}))); }
    terminate() {}
  };
}
"""


def main(site):
    site = pathlib.Path(site)
    shim = site / "assets" / "file_worker.js"
    shim.write_text(SHIM, encoding="utf-8")
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        here = os.path.relpath(shim, page.parent)
        page.write_text(re.sub(r"https://unpkg\.com/iframe-worker/shim", here, text), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
