"""The scene of the store's contract is used here too; its assertions show both sides there."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("rejudge.storage.promises")
