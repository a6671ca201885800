"""The page of `qanat serve` in Debian's Chromium. QANAT_SERVE_PICTURES: a folder for pictures of it."""
import os
import pathlib
import tempfile
import unittest

from browser import CHROMIUM, Browser
from voice import Server, make_voice

PICTURES = os.environ.get("QANAT_SERVE_PICTURES")


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="qanat page ")
        given = os.environ.get("QANAT_SERVE_VOICE")
        cls.server = Server(pathlib.Path(given) if given else make_voice(pathlib.Path(cls.folder.name)))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()

    def open(self, width, language):
        browser = Browser(width=width)
        self.addCleanup(browser.__exit__)
        browser.open(f"http://127.0.0.1:{self.server.port}/?lang={language}")
        return browser

    def keep(self, browser, name):
        if PICTURES:
            browser.screenshot(pathlib.Path(PICTURES) / f"{name}.png")

    def press(self, browser):
        """With the mouse: browsers play nothing that nobody has asked for."""
        at = browser.run("(box => ({x: box.x + box.width / 2, y: box.y + box.height / 2}))"
                         "(document.getElementById('speak').getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            browser.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def speak(self, browser):
        self.press(browser)
        browser.wait_for("!document.getElementById('save').hidden", timeout=120)

    def test_speaks_what_is_typed_in_both_languages_wide_and_narrow(self):
        for language, width in (("en", 1200), ("en", 420), ("fa", 1200), ("fa", 420)):
            with self.subTest(language=language, width=width):
                browser = self.open(width, language)
                self.assertEqual(browser.run("document.documentElement.dir"), "rtl" if language == "fa" else "ltr")
                self.speak(browser)
                # Something is drawn, and the times are there.
                self.assertGreater(browser.run(
                    "document.getElementById('wave').getContext('2d').getImageData(0, 0, 1000, 160).data"
                    ".reduce((sum, value) => sum + (value > 0 ? 1 : 0), 0)"), 1000)
                for name in ("first", "length", "work", "factor"):
                    self.assertTrue(browser.run(f"document.getElementById('{name}').textContent"), name)
                self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width)
                left, right = browser.run("(box => [box.left, innerWidth - box.right])"
                                          "(document.body.getBoundingClientRect())")
                self.assertAlmostEqual(left, right, delta=1)
                self.keep(browser, f"voice-{language}-{width}")
                self.assertEqual(browser.console, [])

    def test_a_refusal_is_shown(self):
        browser = self.open(1200, "fa")
        browser.run("document.getElementById('text').value = '🙂'")
        self.press(browser)
        browser.wait_for("document.getElementById('status').classList.contains('error')")
        self.assertTrue(browser.run("document.getElementById('status').textContent"))

    def test_nothing_comes_from_elsewhere(self):
        browser = self.open(1200, "en")
        self.speak(browser)
        for address in browser.requests:
            self.assertTrue(address.startswith((f"http://127.0.0.1:{self.server.port}/", "data:", "blob:")), address)


if __name__ == "__main__":
    unittest.main()
