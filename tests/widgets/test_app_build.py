"""The explorer's page and the payload helper, compared with their sources in `apps/`."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APPS = ROOT / "apps"
PACKAGE = ROOT / "src" / "penstock"
BUILT = ("explorer/results.html", "explorer/LICENSES.txt", "widgets/payload.js")
SOURCES = (
    "build.mjs",
    "explorer",
    "package-lock.json",
    "package.json",
    "payload",
    "tsconfig.json",
)


def source_files() -> list[str]:
    """Return the paths, from `apps/`, of everything that goes into the page."""
    paths: list[str] = []
    for name in SOURCES:
        start = APPS / name
        files = [start] if start.is_file() else [one for one in start.rglob("*") if one.is_file()]
        paths += [one.relative_to(APPS).as_posix() for one in files]
    return sorted(paths, key=str.encode)


def digest() -> str:
    """Return the digest like `apps/build.mjs`: one line per file, in the order of the paths."""
    lines = (
        f"{hashlib.sha256((APPS / path).read_bytes()).hexdigest()}  {path}\n"
        for path in source_files()
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def page() -> str:
    return (PACKAGE / "explorer/results.html").read_text("utf-8")


def node_with_packages() -> str:
    """Return Node. Skip the test if Node or the packages of `apps/` are missing."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node, and it is not installed")
    if not (APPS / "node_modules" / "esbuild").exists():
        pytest.skip("needs the packages of apps/: `make app` installs them")
    return node


def test_the_page_is_not_stale() -> None:
    said = re.search(r'<meta name="penstock-sources" content="sha256-([0-9a-f]{64})">', page())
    assert said is not None, "the page does not say what it was built from"
    assert said[1] == digest(), "stale: run make app"


def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    subprocess.run([node_with_packages(), "build.mjs", str(tmp_path)], cwd=APPS, check=True)
    for name in BUILT:
        assert (tmp_path / name).read_bytes() == (PACKAGE / name).read_bytes(), (
            f"{name} is stale: run make app"
        )


def test_the_parts_without_a_browser_do_what_they_should() -> None:
    ran = subprocess.run(
        [node_with_packages(), "test.mjs"],
        cwd=APPS,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]


def test_the_page_loads_nothing() -> None:
    """No element of the page names another file; the host's policy stops any other load."""
    markup = re.sub(r"(<script[^>]*>).*?(</script>)", r"\1\2", page(), flags=re.DOTALL)
    markup = re.sub(r"(<style>).*?(</style>)", r"\1\2", markup, flags=re.DOTALL)
    assert markup.count("<script") == 1
    assert not re.search(r"\b(src|href|srcset|action)\s*=", markup)
    style = re.search(r"<style>(.*?)</style>", page(), flags=re.DOTALL)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_the_script_ends_where_it_should() -> None:
    """A bundle with `</script>` in a string would end early and spill onto the page."""
    assert page().count("</script>") == 1
    assert page().rstrip().endswith("</script>\n</body>\n</html>")


def test_every_bundled_package_has_its_licence() -> None:
    text = (PACKAGE / "explorer/LICENSES.txt").read_text("utf-8")
    for name in ("@modelcontextprotocol/ext-apps", "@preact/signals", "preact", "zod"):
        assert re.search(rf"^{re.escape(name)} \d+\.\d+\.\d+ \(", text, flags=re.MULTILINE), name


def test_the_lock_file_names_no_address() -> None:
    lock = (APPS / "package-lock.json").read_text("utf-8")
    assert "resolved" not in lock
    assert "http" not in lock.replace('"url": "https://', "")


def test_the_helper_is_plain_and_needs_nothing() -> None:
    helper = (PACKAGE / "widgets/payload.js").read_text("utf-8")
    assert "import " not in re.sub(r"/\*.*?\*/", "", helper, flags=re.DOTALL)
    for name in ("readPayload", "describe", "showProblem"):
        assert f"export function {name}(" in helper
