"""Installs the build into a folder, builds a program against it outside the tree, and runs both."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration"))
from program import environment, write_tone  # noqa: E402

BUILD = pathlib.Path(os.environ["QANAT_BUILD"])


def run(*command, given=None, **options):
    result = subprocess.run([str(word) for word in command], text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600,
                            env=environment(**(given or {})), **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="qanat package ")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.prefix = cls.folder / "usr"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.corpus = cls.folder / "corpus"
        (cls.corpus / "wavs").mkdir(parents=True)
        with open(cls.corpus / "metadata.csv", "w", encoding="utf-8") as manifest:
            for n in range(10):
                write_tone(cls.corpus / "wavs" / f"clip-{n}.wav", 200 + 20 * n, 0.5)
                manifest.write(f"clip-{n}|clip {n}\n")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_the_installed_program_runs_both_its_parts(self):
        qanat = self.prefix / "bin" / "qanat"
        self.assertIn("qanat", run(qanat, "version"))
        self.assertIn("cores", run(qanat, "devices", "--json"))

    def test_the_installed_program_gives_the_demonstration(self):
        out = self.folder / "demo"
        told = run(self.prefix / "bin" / "qanat", "demo", "--data", self.corpus, "--out", out,
                   "--num-steps", 2, "--batch-size", 2, "--paced-steps", 2, "--paced-batch-size", 2)
        self.assertIn("skipped: bench/torch_dataloader.py is not next to this program", told)
        self.assertIn("Multi-GPU, 2 virtual", told)
        self.assertTrue((out / "report.html").exists())

    def test_a_program_outside_the_tree_uses_the_library(self):
        build = self.folder / "build"
        run("cmake", "-S", HERE, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", build)
        out = run(build / "load_batches", self.corpus)
        self.assertEqual(out, "10 utterances\n")
        libraries = run("ldd", build / "load_batches")
        self.assertNotIn("libtorch", libraries)

    def test_the_text_library_is_used_alone(self):
        build, known = self.folder / "text", self.folder / "known"
        known.mkdir()
        for name in ("libutf8proc", "libxxhash"):  # a machine that has nothing else Qanat needs
            shutil.copy(run("pkg-config", "--variable=pcfiledir", name).strip() + f"/{name}.pc", known)
        run("cmake", "-S", HERE.parent.parent / "examples" / "normalise_text", "-B", build, "-G", "Unix Makefiles",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON",
            given={"PKG_CONFIG_LIBDIR": str(known)})
        run("cmake", "--build", build)
        self.assertEqual(run(build / "normalise_text", "fa", "۲۵٪"), "بیست و پنج درصد\n")
        self.assertEqual(run(build / "normalise_text", "de", "Grüße"), "grüße\n")
        linked = (build / "CMakeFiles/normalise_text.dir/link.txt").read_text()
        self.assertEqual(set(re.findall(r"libqanat_(\w+)\.a", linked)), {"text", "locale", "base"})
        needed = set(re.findall(r"^\s*lib([A-Za-z0-9_+]+)[-.\d]*\.so", run("ldd", build / "normalise_text"), re.MULTILINE))
        self.assertLessEqual(needed, {"utf8proc", "xxhash", "fmt", "stdc++", "gcc_s", "m", "c", "pthread"})
        names = run("nm", "-C", "--defined-only", build / "normalise_text")
        self.assertIn("qanat::read_aloud", names)
        for other in ("qanat::Loader", "qanat::DatasetIndex", "qanat::RunConfig"):
            self.assertNotIn(other, names)

    def test_manual_pages_are_there_and_troff_has_nothing_to_say(self):
        pages = sorted((self.prefix / "share" / "man").rglob("*.1"))
        folder = self.prefix / "share" / "man"
        self.assertIn(folder / "man1" / "qanat-train.1", pages)
        self.assertIn(folder / "fa" / "man1" / "qanat-train.1", pages)
        if shutil.which("groff"):
            for page in pages:
                result = subprocess.run(["groff", "-Kutf8", "-man", "-ww", "-z", "-Tutf8", page],
                                        text=True, stderr=subprocess.PIPE, check=True)
                self.assertEqual(result.stderr, "", page.name)

    def test_bash_completes_commands_and_flags(self):
        script = self.prefix / "share" / "bash-completion" / "completions" / "qanat"

        def complete(*words):
            line = " ".join(f"'{word}'" for word in words)
            out = run("bash", "-c", f"source '{script}'; COMP_WORDS=({line}); "
                      f"COMP_CWORD={len(words) - 1}; _qanat; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
            return out.split()

        self.assertEqual(complete("qanat", "tra"), ["train"])
        self.assertEqual(complete("qanat", "data", "che"), ["check"])
        self.assertIn("--tensorboard", complete("qanat", "train", "--tens"))
        self.assertIn("--junit", complete("qanat", "report", "x", "--ju"))

    def test_other_shells_read_their_scripts(self):
        share = self.prefix / "share"
        zsh = share / "zsh" / "vendor-completions" / "_qanat"
        fish = share / "fish" / "vendor_completions.d" / "qanat.fish"
        self.assertIn("--tensorboard", zsh.read_text())
        self.assertIn("-l tensorboard", fish.read_text())
        if shutil.which("zsh"):
            run("zsh", "-n", zsh)
        if shutil.which("fish"):
            run("fish", "--no-execute", fish)


if __name__ == "__main__":
    unittest.main()
