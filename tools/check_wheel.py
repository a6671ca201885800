#!/usr/bin/env python3
"""Installs a wheel of Qanat into a fresh environment and uses it there: the loader in five lines, the
program, and what a wheel must not be. Prints what it found; fails with the reason.

  check_wheel.py WHEEL
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import venv
import zipfile

MAX_MB = 10
MAX_GLIBC = (2, 35)  # Ubuntu 22.04, Colab

FIVE_LINES = """
import qanat
loader = qanat.Loader("demo", batch_size=8)
for batch in loader:
    print(batch.epoch, batch.index, batch.mel.shape, batch.tokens.shape)
print(len(loader), "batches,", loader.num_utterances, "utterances")
"""


def fail(what):
    sys.exit(f"check_wheel: {what}")


def check_file(wheel):
    megabytes = wheel.stat().st_size / 1e6
    if megabytes > MAX_MB:
        fail(f"{wheel.name}: {megabytes:.1f} MB; expected at most {MAX_MB}")
    versions = [tuple(map(int, found)) for found in re.findall(r"manylinux_(\d+)_(\d+)_", wheel.name)]
    if not wheel.name.split("-")[2:4] == ["py3", "none"] or not versions:
        fail(f"{wheel.name}: expected a wheel for every Python 3 and manylinux")
    if min(versions) > MAX_GLIBC:
        fail(f"{wheel.name}: needs glibc {min(versions)}; expected at most {MAX_GLIBC}")
    names = zipfile.ZipFile(wheel).namelist()
    heavy = [name for name in names if re.search(r"torch|cuda|c10|mkl|openblas", pathlib.Path(name).name)
             and not name.endswith(".py")]
    if heavy:
        fail(f"{wheel.name}: {heavy[0]} is in it; expected no libtorch")
    return megabytes, names


def main(path):
    wheel = pathlib.Path(path).resolve()
    megabytes, names = check_file(wheel)
    with tempfile.TemporaryDirectory() as scratch:
        venv.create(f"{scratch}/env", with_pip=True)
        python = f"{scratch}/env/bin/python3"

        def run(*command):
            done = subprocess.run(command, cwd=scratch, stdout=subprocess.PIPE, text=True, check=False,
                                  env={"PATH": "/usr/bin:/bin", "HOME": scratch, "LC_ALL": "C.UTF-8"})
            if done.returncode != 0:
                fail(f"{' '.join(command[:4])}: exit code {done.returncode}\n{done.stdout}")
            return done.stdout

        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", str(wheel))
        qanat = f"{scratch}/env/bin/qanat"
        run(qanat, "data", "make-demo", "demo", "--utterances", "40", "--mean-seconds", "2", "--built-in")
        run(qanat, "data", "check", "demo")
        run(qanat, "version")
        said = run(python, "-c", FIVE_LINES)
        if "5 batches, 40 utterances" not in said:
            fail(f"five lines over the demo corpus printed:\n{said}")
    libraries = sum(".so" in name for name in names)
    print(f"{wheel.name}: {megabytes:.1f} MB, {libraries} libraries; installed, loaded 40 utterances, "
          "ran the program")


if __name__ == "__main__":
    main(*sys.argv[1:])
