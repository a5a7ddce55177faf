"""The command `rejudge`, also as `python -m rejudge`."""

from __future__ import annotations


def main() -> None:
    """Run one command; the process ends with its exit code."""
    from rejudge.cli.app import app

    app(prog_name="rejudge")


if __name__ == "__main__":
    main()
