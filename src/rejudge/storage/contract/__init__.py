"""What every store promises, as tests that a store's own suite inherits.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self, tmp_path):
            with closing(my_store(tmp_path)) as store:
                yield store

        @pytest.fixture
        def reopen(self, tmp_path):  # where the data can be opened again, also while it is open
            return lambda: my_store(tmp_path)

A store that keeps nothing beyond its handle leaves `reopen` out; what is promised about it is then skipped.
The tests need pytest, which the package itself does not install.
"""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite(__name__)

from rejudge.storage.contract.store import StoreContract  # noqa: E402  asserts in it explain themselves from here on

__all__ = ["StoreContract"]
