"""Puts the loader's library and the program, which CMake builds, into the package; pyproject.toml has the
rest. QANAT_BUILD names a build folder that has them. QANAT_PURE=1 leaves them out: only qanat.watch works
then."""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent
PURE = os.environ.get("QANAT_PURE") == "1"
# Where they are in a build folder, and where in the package.
FILES = {"lib/libqanat.so": "libqanat.so", "bin/qanat": "bin/qanat", "bin/qanat-espeak": "bin/qanat-espeak"}


def build_folder():
    if os.environ.get("QANAT_BUILD"):
        return pathlib.Path(os.environ["QANAT_BUILD"]).resolve()
    if not (ROOT / "CMakeLists.txt").exists():
        raise SystemExit(f"{ROOT}: not the sources of Qanat, which the loader is built from; "
                         "install a wheel, or set QANAT_PURE=1 for qanat.watch alone")
    folder = ROOT / "build" / "python"
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DQANAT_TORCH=OFF",
                    "-DQANAT_TESTS=OFF", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16"],
                   check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", str(os.cpu_count()), "--target",
                    "qanat_library", "qanat", "qanat-espeak"], check=True)
    return folder


def copy_licences(binary, folder):
    """Those of the libraries that a wheel brings along, as Debian's packages have them."""
    listed = subprocess.run(["ldd", binary], stdout=subprocess.PIPE, text=True, check=True).stdout
    for path in re.findall(r"=> (/\S+)", listed):
        owner = subprocess.run(["dpkg-query", "-S", os.path.realpath(path)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=False).stdout.split(":")[0]
        licence = pathlib.Path("/usr/share/doc", owner, "copyright")
        if owner not in ("", "libc6", "libgcc-s1", "libstdc++6") and licence.is_file():  # the system's
            folder.mkdir(exist_ok=True)
            shutil.copyfile(licence, folder / f"{owner}.txt")


class Build(build_py):
    def run(self):
        super().run()
        if PURE or self.editable_mode:
            return
        built = build_folder()
        package = pathlib.Path(self.build_lib, "qanat")
        (package / "bin").mkdir(exist_ok=True)
        for source, target in FILES.items():
            shutil.copy(built / source, package / target)
            subprocess.run(["strip", "--strip-unneeded", package / target], check=True)
        for target in FILES.values() if shutil.which("dpkg-query") else ():
            copy_licences(package / target, package / "licences")


class Wheel(bdist_wheel):
    """For every Python 3: the library is called by ctypes, and so knows none of its versions."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class Package(Distribution):
    def has_ext_modules(self):
        return not PURE  # it is for one kind of machine


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Package)
