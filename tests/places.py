"""Where the tests find the repository's own files."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RECORDINGS = ROOT / "tests" / "recordings"
