"""The wheel, as a user installs it."""

# cspell:ignore purelib

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email.parser import Parser
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from wattfeed import Client

ROOT = Path(__file__).parent.parent
REPOSITORY = ROOT.parent.parent


def run(*command: str | Path, **options: Any) -> str:
    ended: subprocess.CompletedProcess[str]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys, uv_build; uv_build.build_wheel(sys.argv[1])"
    # It starts a program that is beside Python.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run(sys.executable, "-c", build, folder, cwd=ROOT, env={**os.environ, "PATH": path})
    return next(folder.glob("*.whl"))


def pins_of(path: Path) -> dict[str, Version]:
    lines = [line.partition("==") for line in path.read_text(encoding="utf-8").splitlines() if "==" in line]
    return {name: Version(pin) for name, _, pin in lines}


def test_the_ranges_of_the_extras_are_those_that_are_tested(wheel: Path) -> None:
    """The lowest versions are those of Python 3.10 in `.ci/run`, the highest those of the tests in all languages."""
    with zipfile.ZipFile(wheel) as files:
        (path,) = (name for name in files.namelist() if name.endswith("/METADATA"))
        metadata = Parser().parsestr(files.read(path).decode())
    requirements = [Requirement(text) for text in metadata.get_all("Requires-Dist") or []]
    lowest, newest = pins_of(ROOT / "tests" / "lowest.txt"), pins_of(REPOSITORY / "tests/python/requirements.txt")
    page = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
    assert {each.name for each in requirements} == set(lowest)
    for each in requirements:
        low, high = lowest[each.name], newest[each.name]
        assert str(each.specifier) == str(SpecifierSet(f">={low},<{high.major + 1}"))
        assert f"{low} to {high.major}.x |" in page


def test_the_readme_lists_every_method_of_a_client() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^- ((?:`\w+`(?:,| and)?\s+)+)are\s+methods of `Client`", readme, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", listed)) == {name for name in vars(Client) if not name.startswith("_")}


@pytest.mark.skipif(sys.version_info[:2] != (3, 10), reason="Python 3.10 tests the lowest versions")
def test_python_3_10_has_the_lowest_versions() -> None:
    lowest = pins_of(ROOT / "tests" / "lowest.txt")
    assert {name: Version(version(name)) for name in lowest} == lowest


def install(folder: Path, wheel: Path, extras: str) -> Path:
    """Installs without a network: the extras' libraries must be those that the tests use."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    if extras:
        (Path(packages) / "tests.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    run(*pip, "install", "--quiet", "--no-index", f"{wheel}{extras}")
    return python


def test_the_wheel_has_the_types_and_the_license(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    sources = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert sources <= set(names)
    assert "wattfeed/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any("tests" in name for name in names)


def test_without_extras_it_needs_nothing(wheel: Path, tmp_path: Path) -> None:
    python = install(tmp_path, wheel, "")
    assert run(python, "-c", "import wattfeed; print(wattfeed.__file__)").startswith(str(tmp_path))
    assert "export" in run(python, "-m", "wattfeed", "--help")
    program = "try: import wattfeed.aio\nexcept ImportError as error: print(error)"
    assert run(python, "-c", program).endswith("pip install 'wattfeed[async]'\n")
    refused = subprocess.run([python, "-m", "wattfeed", "verify", "x"], capture_output=True, text=True, check=False)
    assert (refused.returncode, "pip install 'wattfeed[verify]'" in refused.stderr) == (2, True)


def test_the_extras_of_the_page_install_their_libraries(wheel: Path, tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
    match = re.search(r"pip install './clients/python\[(.*)\]'", page)
    assert match is not None
    modules = [{"async": "aio"}.get(extra, extra) for extra in match[1].split(",")]
    python = install(tmp_path, wheel, f"[{match[1]}]")
    program = f"import wattfeed, wattfeed.{', wattfeed.'.join(modules)}; print(wattfeed.__file__)"
    assert run(python, "-c", program).startswith(str(tmp_path))
    assert "--trust" in run(python, "-m", "wattfeed", "verify", "--help")
    metadata = "from importlib.metadata import metadata; print(*metadata('wattfeed').get_all('Provides-Extra'))"
    assert run(python, "-c", metadata).split() == match[1].split(",")
