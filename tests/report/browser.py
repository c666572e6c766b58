#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
r"""Opens a page in headless Chromium, does what the arguments say, and prints one JSON object.

    browser.py PAGE [--size WIDTHxHEIGHT] [--no-webgl] [click:SELECTOR] [press:KEY] [eval:EXPRESSION] [wait:SECONDS]
               [shot:FILE.png] [shot:FILE.png:SELECTOR] [tones:SELECTOR]

tones: the picture of an element as means of red, green and blue in 4 x 3 cells, row by row, among "values".
The picture of the README is made by: pegrasp map examples/gear/gear.toml; pegrasp report out/gear;
    browser.py 'out/gear/report.html#cell=206' --size 1180x760 'click:.controls button' wait:2.5 \
        shot:docs/images/report_gear.png:.columns

"errors" are exceptions and errors of the console, "requests" all addresses but that of the page and data: and blob:,
"values" what the expressions give, in order. Exit code 69: there is no Chromium. Needs the standard library alone.
"""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

NO_BROWSER = 69
PATIENCE = 60.0  # [s] for one answer


class Browser:
    """Chromium's DevTools protocol over a pipe: messages of JSON that end with a zero byte."""

    def __init__(self, program, folder, size, more):
        to_browser, self.out = os.pipe()
        self.inn, from_browser = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu-sandbox",
                 "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                 "--use-angle=swiftshader", "--use-gl=angle", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                 "--force-device-scale-factor=1", "--font-render-hinting=none", f"--window-size={size}",
                 f"--user-data-dir={folder}", *more]

        def ends():
            # The browser reads from 3 and writes to 4; first out of the way, then into place.
            read, write = os.dup2(to_browser, 30), os.dup2(from_browser, 31)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen([program, *flags, "about:blank"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, preexec_fn=ends, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.session = b"", 0, None
        self.errors, self.requests, self.events = [], [], []

    def message(self):
        until = time.monotonic() + PATIENCE
        while b"\0" not in self.rest:
            if not select.select([self.inn], [], [], max(0.0, until - time.monotonic()))[0]:
                sys.exit("the browser does not answer")
            got = os.read(self.inn, 1 << 20)
            if not got:
                sys.exit("the browser has ended")
            self.rest += got
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def note(self, event):
        name, about = event.get("method"), event.get("params", {})
        if name == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif name == "Runtime.consoleAPICalled" and about["type"] in ("error", "assert", "warning"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in about["args"]))
        elif name == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(about["entry"]["text"])
        elif name == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        self.events.append(name)

    def ask(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def value(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"{expression}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def open(self, address):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        self.ask("Page.navigate", url=address)
        until = time.monotonic() + PATIENCE
        while self.value("document.documentElement?.dataset.ready") != "yes":
            if time.monotonic() > until or self.errors:
                return
            time.sleep(0.02)

    def box(self, selector):
        box = self.value("(() => { const node = document.querySelector(" + json.dumps(selector) + ");"
                         "if (!node) return null;"
                         "node.scrollIntoView({block: 'center'}); const b = node.getBoundingClientRect();"
                         "return [b.x, b.y, b.width, b.height, b.x + scrollX, b.y + scrollY]; })()")
        if box is None:
            sys.exit(f"{selector}: is not on the page")
        return box

    def click(self, selector):
        x, y, width, height = self.box(selector)[:4]
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x + width / 2, y=y + height / 2, button="left",
                     clickCount=1)

    def press(self, key):
        text = {"Space": " ", "Enter": "\r"}.get(key)
        name = " " if key == "Space" else key
        code = {"Enter": 13, "Space": 32, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        about = {"key": name, "code": key, "windowsVirtualKeyCode": code.get(key, 0)}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **about, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", **about)

    def picture(self, selector):
        clip = {}
        if selector:
            _, _, width, height, x, y = self.box(selector)
            clip = {"clip": {"x": x, "y": y, "width": width, "height": height, "scale": 1}}
        return self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, **clip)["data"]

    def shot(self, file, selector=None):
        pathlib.Path(file).write_bytes(base64.b64decode(self.picture(selector)))

    def tones(self, selector):
        return self.value("""(async (picture) => {
            const image = new Image();
            image.src = "data:image/png;base64," + picture;
            await image.decode();
            const canvas = document.createElement("canvas");
            canvas.width = image.width;
            canvas.height = image.height;
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const tones = [];
            for (let row = 0; row < 3; ++row) for (let column = 0; column < 4; ++column) {
              const [w, h] = [Math.floor(image.width / 4), Math.floor(image.height / 3)];
              const pixels = context.getImageData(column * w, row * h, w, h).data;
              for (let colour = 0; colour < 3; ++colour) {
                let sum = 0;
                for (let i = colour; i < pixels.length; i += 4) sum += pixels[i];
                tones.push(Math.round((4 * sum) / pixels.length));
              }
            }
            return tones;
          })(""" + json.dumps(self.picture(selector)) + ")")


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("there is no Chromium; install Debian's package chromium", file=sys.stderr)
        sys.exit(NO_BROWSER)
    page, *steps = sys.argv[1:]
    size = "1320x1000"
    if steps[:1] == ["--size"]:
        size, steps = steps[1], steps[2:]
    more = []
    if steps[:1] == ["--no-webgl"]:
        more, steps = ["--disable-gpu", "--disable-3d-apis"], steps[1:]
    address = pathlib.Path(page.split("#")[0]).resolve().as_uri() + ("#" + page.split("#")[1] if "#" in page else "")
    values = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder, size.replace("x", ","), more)
        try:
            browser.open(address)
            for step in steps:
                name, _, rest = step.partition(":")
                if name == "eval":
                    values.append(browser.value(rest))
                elif name == "tones":
                    values.append(browser.tones(rest))
                elif name == "wait":
                    time.sleep(float(rest))
                elif name == "shot":
                    browser.shot(*rest.split(":", 1))
                else:
                    {"click": browser.click, "press": browser.press}[name](rest)
            browser.value("1")  # events up to now have come
        finally:
            browser.process.kill()
            browser.process.wait()
    own = address.split("#")[0]
    asked = [url for url in browser.requests if not url.startswith(("data:", "blob:")) and url.split("#")[0] != own]
    print(json.dumps({"errors": browser.errors, "requests": asked, "values": values}))


if __name__ == "__main__":
    main()
