"""A browser without a window, driven over a pipe by Chromium's DevTools protocol. Standard library alone."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]


def find_browser():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page. `problems` collects exceptions and errors that the page writes to the console."""

    def __init__(self, program=None, timeout=30):
        self.timeout = timeout
        self.problems = []
        self.requests = []
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        command = [program or find_browser(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-unsafe-swiftshader", "--remote-debugging-pipe",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        shell = f"exec 3<&{to_read} 4>&{to_write}; exec \"$@\""
        self.process = subprocess.Popen(["/bin/bash", "-c", shell, "browser", *command],
                                        pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.session = b"", 0, None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget",
                                 {"targetId": target["targetId"], "flatten": True})["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(10)
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.folder.cleanup()

    def call(self, method, parameters=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self):
        end = time.monotonic() + self.timeout
        while b"\0" not in self.buffer:
            if not select.select([self.from_browser], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.from_browser, 1 << 20)
            if not data:
                raise RuntimeError("the browser ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        method, facts = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(facts["exceptionDetails"].get("exception", {}).get("description", str(facts)))
        elif method == "Runtime.consoleAPICalled" and facts["type"] in ("error", "warning", "assert"):
            self.problems.append(str(facts["args"]))
        elif method == "Log.entryAdded" and facts["entry"]["level"] in ("error", "warning"):
            if "GL Driver Message (OpenGL, Performance" not in facts["entry"]["text"]:  # of screenshots
                self.problems.append(facts["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"][:100])
        return message

    def open(self, path, width=1200, height=900, is_dark=False, has_scripts=True):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.call("Emulation.setEmulatedMedia",
                  {"features": [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"},
                                {"name": "prefers-reduced-motion", "value": "reduce"}]})
        self.call("Emulation.setScriptExecutionDisabled", {"value": not has_scripts})
        self.call("Page.navigate", {"url": "file://" + os.path.abspath(path)})
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def run(self, script):
        """The value of an expression; promises are waited for."""
        result = self.call("Runtime.evaluate",
                           {"expression": script, "awaitPromise": True, "returnByValue": True})
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, script, seconds=10):
        """Until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise TimeoutError(f"not true after {seconds} s: {script}")
            time.sleep(0.02)

    def place(self, selector):
        """The middle of an element, scrolled into view."""
        return self.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
                        "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); "
                        "return [r.x + r.width / 2, r.y + r.height / 2]; })()")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def click(self, selector_or_x, y=None):
        x, y = self.place(selector_or_x) if y is None else (selector_or_x, y)
        self.mouse("mouseMoved", x, y)
        for kind in ["mousePressed", "mouseReleased"]:
            self.mouse(kind, x, y, button="left", clickCount=1)

    def drag(self, selector, dx, dy):
        x, y = self.place(selector)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for part in [0.3, 0.6, 1]:
            self.mouse("mouseMoved", x + part * dx, y + part * dy, button="left", buttons=1)
        self.mouse("mouseReleased", x + dx, y + dy, button="left", clickCount=1)

    def type(self, selector, text):
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", {"text": text})

    def key(self, name):
        letter = {"text": name} if len(name) == 1 else {}
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", "key": name, **letter})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", "key": name})

    def screenshot(self, path, whole=True):
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            area = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1},
                    "captureBeyondViewport": True}
        else:
            area = {}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", area)["data"]))
