"""The command `rejudge`, also as `python -m rejudge`."""

from __future__ import annotations


def main() -> None:
    """Run one command; the process ends with its exit code."""
    from rejudge.cli.app import app

    app(prog_name="rejudge")


if __name__ == "__main__":
    import sys
    from pathlib import Path

    if not sys.flags.safe_path and sys.path[0] == str(Path.cwd()):
        del sys.path[0]  # it may be anybody's, and nothing in it may take an installed module's place
    main()
