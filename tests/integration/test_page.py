"""The pages of a run in a real browser: Debian's Chromium, headless."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from browser import CHROMIUM, Browser
from journals import step_line, write_journal
from program import QANAT, environment, qanat, write_tone

SLOW = os.environ.get("QANAT_SLOW") == "1"
needs_browser = unittest.skipUnless(CHROMIUM, "no chromium here; apt-get install chromium")


def write_page(folder, steps=200, *flags):
    folder.mkdir(exist_ok=True)
    journal = write_journal(folder / "journal.jsonl", steps)
    page = folder / "report.html"
    result = qanat("report", journal, "--html", page, "--fail-on", "never", *flags)
    assert result.returncode == 0, result.stderr
    return page


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not CHROMIUM:
            raise unittest.SkipTest("no chromium here; apt-get install chromium")
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.page = write_page(cls.path)
        cls.browser = Browser()
        cls.browser.open(cls.page.as_uri())

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def test_nothing_is_wrong_and_nothing_is_asked_for(self):
        self.assertEqual(self.browser.console, [])
        self.assertEqual([url for url in self.browser.requests if not url.startswith("file:")], [])
        self.assertEqual(self.browser.run("performance.getEntriesByType('resource').length"), 0)

    def test_charts_have_the_right_values(self):
        wait = self.browser.run(
            "document.querySelector('#ledger-table tr[data-x]').textContent")
        self.assertEqual(wait, "wait20.0 ms20.0 %")
        # The wait is the first fifth of the bar.
        boxes = self.browser.run(
            "[...document.querySelectorAll('#ledger-plot rect')].map(r => r.getBBox().width)")
        self.assertAlmostEqual(boxes[0] / sum(boxes), 0.2, delta=0.01)
        # Every step takes 100 ms, so the line is level, at the height of that value.
        heights = self.browser.run(
            "[...document.querySelector('#steps-plot polyline').points].map(p => p.y)")
        self.assertLess(max(heights) - min(heights), 0.2)
        loss = self.browser.run(
            "[...document.querySelectorAll('#loss-table tr[data-x]')].at(0).cells[1].textContent")
        self.assertEqual(loss, f"{(5 + 2.5 + 5 / 3) / 3:.4f}")

    def test_every_chart_has_words_for_those_who_do_not_see_it(self):
        missing = self.browser.run(
            "[...document.querySelectorAll('svg.plot')].filter(s => !s.querySelector('title')"
            ".textContent || !s.closest('figure').querySelector('table')).map(s => s.id)")
        self.assertEqual(missing, [])
        self.assertGreater(self.browser.run("document.querySelectorAll('svg.plot').length"), 5)

    def test_keys_read_a_chart(self):
        self.browser.run("document.getElementById('steps-plot').focus()")
        self.browser.press("ArrowRight", 39)
        self.browser.press("End", 35)
        reading = self.browser.run(
            "document.querySelector('#steps-figure .reading').textContent")
        self.assertIn("mean 100 ms", reading)
        self.assertIn("199", reading)

    def test_a_fix_can_be_copied(self):
        self.assertGreater(self.browser.run("document.querySelectorAll('.card').length"), 0)
        text = self.browser.run("document.querySelector('.copy').dataset.copy")
        self.browser.run("navigator.clipboard.writeText = text => { window.copied = text; "
                         "return Promise.resolve(); }, "
                         "document.querySelector('.copy').click()")
        self.assertEqual(self.browser.run("window.copied"), text)
        self.browser.wait_for("document.querySelector('.copy').classList.contains('done')")

    def test_links_lead_to_every_heading(self):
        targets = self.browser.run(
            "[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href').slice(1))")
        headed = self.browser.run("[...document.querySelectorAll('main section')]"
                                  ".filter(s => s.querySelector('h2')).map(s => s.id)")
        self.assertEqual(targets, headed)

    def test_the_sweep_and_the_devices_of_the_journal_are_drawn(self):
        cells = self.browser.run("[...document.querySelectorAll('#sweep-table tr[data-x]')]"
                                 ".map(row => [...row.cells].map(cell => cell.textContent))")
        self.assertEqual(cells, [["8", "1", "50.0"], ["8", "2", "100.0"]])
        chosen = self.browser.run(
            "[...document.querySelectorAll('#sweep-plot .chosen')].map(r => r.textContent)")
        self.assertEqual(chosen, ["100.0"])
        self.assertEqual(self.browser.run("document.querySelector('#devices h3').textContent"),
                         "GPU 0 RTX")
        clock = self.browser.run(
            "document.querySelector('#device0-clock-table tr[data-x]').cells[1].textContent")
        self.assertEqual(clock, "1500 MHz")
        # Half of the chart's height: 20 of 40 GiB.
        top, line = self.browser.run(
            "(p => [p.querySelectorAll('.grid')[0].y1.baseVal.value - "
            "[...p.querySelectorAll('.grid')].at(-1).y1.baseVal.value, "
            "p.querySelectorAll('.grid')[0].y1.baseVal.value - "
            "p.querySelector('polyline.c-mean').points[0].y])"
            "(document.getElementById('device0-memory-plot'))")
        self.assertGreater(line, 0.3 * top)
        self.assertLess(line, 0.7 * top)

    def test_nothing_is_wider_than_a_phone(self):
        with Browser(width=400) as phone:
            phone.open(self.page.as_uri())
            self.assertLessEqual(phone.run("document.documentElement.scrollWidth"), 400)
            # What is cut says so: a shadow at the edge, which the end of the chart covers.
            self.assertEqual(phone.run(
                "[...document.querySelectorAll('.plots')].filter(p => p.scrollWidth > p.clientWidth"
                " && !getComputedStyle(p).backgroundAttachment.includes('local')).length"), 0)
            self.assertGreater(phone.run("[...document.querySelectorAll('.plots')]"
                                         ".filter(p => p.scrollWidth > p.clientWidth).length"), 0)

    def test_a_phone_shows_the_newest_steps_first(self):
        for language in ("en", "fa"):
            page = write_page(self.path / language, 200, "--lang", language)
            with self.subTest(language), Browser(width=420) as phone:
                phone.open(page.as_uri())
                hidden = phone.run(
                    "[...document.querySelectorAll('figure > .newest')].filter(holder => "
                    "holder.querySelector('svg').getBoundingClientRect().right > "
                    "holder.getBoundingClientRect().right + 1).map(holder => holder.parentElement.id)")
                self.assertEqual(hidden, [])
                self.assertGreater(phone.run("[...document.querySelectorAll('.newest')]"
                                             ".filter(p => p.scrollWidth > p.clientWidth).length"), 0)
                # The values of the axis can be read there.
                self.assertEqual(phone.run("getComputedStyle(document.querySelector("
                                           "'#loss-plot .y-end')).display"), "inline")
                # What fits has them once.
                self.assertEqual(phone.run("getComputedStyle(document.querySelector("
                                           "'.strips .y-end')).display"), "none")

    def test_a_wide_screen_cuts_no_link_and_leaves_no_tile_alone(self):
        (self.path / "tiles").mkdir()
        journal = write_journal(self.path / "tiles" / "journal.jsonl", 200,
                                config={"training": {"task": "vocoder"}})
        page = journal.with_name("report.html")
        made = qanat("report", journal, "--html", page, "--fail-on", "never")
        self.assertEqual(made.returncode, 0, made.stderr)
        for width in (1200, 850):
            with self.subTest(width), Browser(width=width) as browser:
                browser.open(page.as_uri())
                cut = "(nav => nav.scrollWidth > nav.clientWidth)(document.querySelector('nav'))"
                self.assertFalse(browser.run(cut))
                tiles = browser.run("[...document.querySelectorAll('.tile')].map(tile => "
                                    "[tile.offsetTop, tile.offsetHeight])")
                rows = [sum(top == row for top, _ in tiles)
                        for row in sorted({top for top, _ in tiles})]
                self.assertGreater(min(rows), 1, rows)
                self.assertEqual(len({height for _, height in tiles}), 1)

    def test_the_loss_is_on_the_first_screens_and_the_slots_are_folded(self):
        top = "document.getElementById('loss-plot').getBoundingClientRect().top + scrollY"
        self.assertLess(self.browser.run(top), 1200)
        self.assertLess(self.browser.run(top.replace("loss-plot", "loss-mel-plot")), 1600)

    def test_paper_gets_no_buttons(self):
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        shown = self.browser.run("[...document.querySelectorAll('button, nav')]"
                                 ".filter(e => getComputedStyle(e).display !== 'none').length")
        self.browser.call("Emulation.setEmulatedMedia", media="")
        self.assertEqual(shown, 0)

    def test_the_theme_follows_the_system_and_the_button(self):
        ground = "getComputedStyle(document.body).backgroundColor"
        self.browser.prefer("light")
        light = self.browser.run(ground)
        self.browser.prefer("dark")
        dark = self.browser.run(ground)
        self.assertNotEqual(light, dark)
        self.browser.wait_for(
            "document.getElementById('theme').textContent === 'Light colours'")
        self.browser.run("document.getElementById('theme').click()")
        self.assertEqual(self.browser.run(ground), light)
        self.browser.run("document.getElementById('theme').click()")
        self.assertEqual(self.browser.run(ground), dark)

    def test_what_the_journal_says_does_not_act(self):
        self.assertIn("</script><script>x",
                      self.browser.run("document.getElementById('configuration').textContent"))
        self.assertEqual(self.browser.run("typeof x"), "undefined")
        embedded = json.loads(
            self.browser.run("document.getElementById('report-json').textContent"))
        self.assertEqual(embedded["schema"], "qanat.report")


@needs_browser
class CheckPage(unittest.TestCase):
    def test_the_clips_at_the_ends_can_be_heard(self):
        with tempfile.TemporaryDirectory() as folder, Browser() as browser:
            data = pathlib.Path(folder) / "data set"
            (data / "wavs").mkdir(parents=True)
            for i in range(4):
                write_tone(data / "wavs" / f"u{i}.wav", 300, 1 + i)
            (data / "metadata.csv").write_text(
                "".join(f"u{i}|this is sentence number {i}\n" for i in range(4)))
            page = pathlib.Path(folder) / "pages" / "check.html"
            page.parent.mkdir()
            result = qanat("data", "check", data, "--html", page, "--fail-on", "never")
            self.assertEqual(result.returncode, 0, result.stderr)
            browser.open(page.as_uri())
            lengths = browser.playable()
            self.assertTrue(all(isinstance(length, (int, float)) for length in lengths), lengths)
            shown = browser.run("[...document.querySelectorAll('.clip')].map(card => "
                                "[card.querySelector('h3').textContent, "
                                "card.querySelector('audio').duration])")
            self.assertEqual(dict(shown)["Shortest"], 1)
            self.assertEqual(dict(shown)["Longest"], 4)
            self.assertEqual(dict(shown)["Fastest"], 1)
            self.assertIn("this is sentence number 3",
                          browser.run("document.querySelector('#clips').textContent"))


@needs_browser
class PersianPage(unittest.TestCase):
    def test_runs_from_right_to_left_with_charts_from_left_to_right(self):
        with tempfile.TemporaryDirectory() as folder, Browser() as browser:
            browser.open(write_page(pathlib.Path(folder), 200, "--lang", "fa").as_uri())
            self.assertEqual(browser.run("document.documentElement.dir"), "rtl")
            self.assertEqual(browser.run("getComputedStyle(document.body).direction"), "rtl")
            self.assertEqual(
                browser.run("getComputedStyle(document.querySelector('.plot')).direction"), "ltr")
            first, last = browser.run(
                "(p => [p[0].x, p[p.length - 1].x])"
                "([...document.querySelector('#steps-plot polyline').points])")
            self.assertLess(first, last)
            self.assertEqual(browser.console, [])
            # The accent of a card is on its right.
            self.assertEqual(browser.run(
                "getComputedStyle(document.querySelector('.verdict')).borderRightStyle"), "solid")


@needs_browser
class Sounds(unittest.TestCase):
    """The page of a vocoder run, opened as a file: every render beside its recording."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="qanat sounds ")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        journal = write_journal(self.folder / "journal.jsonl", 50,
                                config={"training": {"task": "vocoder"}})
        recording = "recording-0123456789abcdef.wav"
        render = {"kind": "render", "t": 6.0, "step": 50, "folder": "renders/step-000000050",
                  "vocoder": "vocos", "seconds": 0.1, "axis": [{"hz": 0.0, "at": 0.0}],
                  "sentences": [{"text": "clip", "seconds": 1.0, "recording": recording}]}
        with open(journal, "a", encoding="utf-8") as file:
            file.write(json.dumps(render) + "\n")
        (self.folder / "renders" / "step-000000050").mkdir(parents=True)
        write_tone(self.folder / "renders" / "step-000000050" / "sentence-1.wav", 300, 1.0)
        write_tone(self.folder / "renders" / recording, 300, 0.5)

    def test_a_recording_and_what_was_made_of_it_play_side_by_side(self):
        for language in ("en", "fa"):
            page = self.folder / f"{language}.html"
            result = qanat("report", self.folder, "--html", page, "--fail-on", "never", "--lang",
                           language)
            self.assertEqual(result.returncode, 0, result.stderr)
            for width, is_beside in ((1200, True), (420, False)):
                with self.subTest(language=language, width=width), Browser(width=width) as browser:
                    browser.open(page.as_uri())
                    self.assertEqual(browser.playable(), [0.5, 1])
                    tops = browser.run("[...document.querySelectorAll('audio')]"
                                       ".map(player => player.getBoundingClientRect().top)")
                    self.assertEqual(tops[0] == tops[1], is_beside)
                    self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width)
                    self.assertIn("vocos", browser.run("document.querySelector('.players').textContent"))
                    self.assertIn("vocoder", browser.run("document.querySelector('.tiles').textContent"))
                    self.assertEqual([url for url in browser.requests
                                      if not url.startswith(("file:", "data:"))], [])  # its icons


@needs_browser
class LivePage(unittest.TestCase):
    @unittest.skipUnless(SLOW, "trains; QANAT_SLOW=1")
    def test_follows_a_training(self):
        with tempfile.TemporaryDirectory() as folder:
            corpus = pathlib.Path(folder) / "corpus"
            made = qanat("data", "make-demo", corpus, "--utterances", 24, "--mean-seconds", 1.5,
                         "--built-in")
            self.assertEqual(made.returncode, 0, made.stderr)
            training = subprocess.Popen(
                [QANAT, "train", "--train-data", corpus, "--checkpoint-dir",
                 pathlib.Path(folder) / "run", "--model-size", "nano", "--batch-size", "4",
                 "--max-steps", "100000", "--dashboard", "0"],
                stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment())
            try:
                url = next(line for line in training.stderr
                           if line.startswith("dashboard: ")).split()[1]
                with Browser() as browser:
                    browser.open(url)
                    shown = "Number(document.querySelector('main').dataset.step)"
                    browser.wait_for(f"{shown} > 3", timeout=120)
                    first = browser.run(shown)
                    browser.wait_for(f"{shown} > {first}", timeout=60)
                    browser.wait_for("document.getElementById('connection').className === 'on'")
                    self.assertGreater(browser.run("document.querySelectorAll('svg.plot').length"), 4)
                    self.assertEqual(browser.console, [])
                    training.send_signal(signal.SIGINT)
                    training.stderr.read()
                    self.assertEqual(training.wait(timeout=120), 128 + signal.SIGINT)
                    browser.wait_for("document.getElementById('connection').className === 'ended'")
            finally:
                training.kill()
                training.wait()
                training.stderr.close()
            # What the page showed is left as a file.
            self.assertIn("id=\"steps-plot\"", (pathlib.Path(folder) / "run" / "report.html").read_text())

    def test_an_ended_run_says_so_when_its_page_is_closed(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = write_journal(pathlib.Path(folder) / "journal.jsonl", 50, ended=False)
            server = subprocess.Popen([QANAT, "top", journal, "--web", "--dashboard", "0"],
                                      stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                      env=environment())
            try:
                url = server.stderr.readline().partition("dashboard: ")[2].strip()
                with Browser() as browser:
                    browser.open(url)
                    browser.wait_for("document.getElementById('connection').className === 'on'")
                    self.assertEqual(browser.run("document.querySelectorAll('.tiles').length"), 1)
                    with open(journal, "a") as file:
                        file.write('{"kind": "ended", "t": 5.1, "ending": "max_steps"}\n')
                    server.send_signal(signal.SIGINT)  # at once: the last look sees it
                    server.wait(timeout=20)
                    browser.wait_for("document.getElementById('connection').className === 'ended'")
                    self.assertEqual(browser.run("document.querySelector('.tile dd').textContent"),
                                     "ended: max_steps")
            finally:
                server.kill()
                server.wait()
                server.stderr.close()

    def test_follows_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = write_journal(pathlib.Path(folder) / "journal.jsonl", 50, ended=False)
            server = subprocess.Popen([QANAT, "top", journal, "--web", "--dashboard", "0"],
                                      stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                      env=environment())
            try:
                url = server.stderr.readline().partition("dashboard: ")[2].strip()
                with Browser() as browser:
                    browser.open(url)
                    browser.wait_for("document.querySelector('main').dataset.step === '50'")
                    self.assertGreater(browser.run("document.querySelectorAll('svg.plot').length"), 5)
                    browser.run("document.querySelector('#steps details').open = true")
                    with open(journal, "a") as file:
                        for i in range(50, 80):
                            file.write(json.dumps(step_line(i)) + "\n")
                    browser.wait_for("document.querySelector('main').dataset.step === '80'")
                    self.assertTrue(browser.run("document.querySelector('#steps details').open"))
                    self.assertEqual(browser.console, [])
                    foreign = [asked for asked in browser.requests
                               if not asked.startswith((url, "data:", "about:"))]
                    self.assertEqual(foreign, [])
            finally:
                server.send_signal(signal.SIGINT)
                server.wait(timeout=20)
                server.stderr.close()


@unittest.skipUnless(SLOW, "takes a minute; QANAT_SLOW=1")
class LongRun(unittest.TestCase):
    def test_a_million_steps_stay_small_and_open_fast(self):
        with tempfile.TemporaryDirectory() as folder:
            page = write_page(pathlib.Path(folder), 1_000_000)
            self.assertLess(page.stat().st_size, 500_000)
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            self.assertLess(used, 600_000, "kB of memory")
            self.assertIn("1,000,000", page.read_text())
            if CHROMIUM:
                with Browser() as browser:
                    seconds = browser.open(page.as_uri())
                    print(f"{page.stat().st_size} bytes, opened in {seconds:.2f} s, {used} kB")
                    self.assertLess(seconds, 2)


if __name__ == "__main__":
    unittest.main()
