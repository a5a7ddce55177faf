"""The whole contract in one class."""

from __future__ import annotations

from rejudge.storage.contract.archive import ArchiveContract
from rejudge.storage.contract.cases import CaseContract
from rejudge.storage.contract.claims import ClaimContract
from rejudge.storage.contract.counts import CountContract
from rejudge.storage.contract.datasets import DatasetContract
from rejudge.storage.contract.handles import HandleContract
from rejudge.storage.contract.hits import HitContract
from rejudge.storage.contract.runs import RunContract
from rejudge.storage.contract.scores import ScoreContract
from rejudge.storage.contract.traces import TraceContract
from rejudge.storage.contract.versions import VersionContract


class StoreContract(
    DatasetContract,
    VersionContract,
    ClaimContract,
    TraceContract,
    ScoreContract,
    RunContract,
    ArchiveContract,
    CaseContract,
    CountContract,
    HitContract,
    HandleContract,
):
    """Every promise of `rejudge.storage.store`, each a test; a subclass says how its store is opened."""
