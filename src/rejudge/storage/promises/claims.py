"""What a store promises about claims: who is at work on what."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import msgspec

from rejudge.storage.liveness import this_process
from rejudge.storage.promises.scene import LEASE, Scene, StoreTests, Unit
from rejudge.storage.records import Batch, Owner
from rejudge.storage.store import Store

UNIT = (0, 0)
PATIENCE_SECONDS = 10.0

_OWNER_PROGRAM = """
import sys, msgspec
from rejudge.storage.liveness import this_process
print(msgspec.json.encode(this_process()).decode(), flush=True)
sys.stdin.read()
"""


@contextmanager
def another_process() -> Iterator[Owner]:
    """An owner in a process of its own, which is dead after the block."""
    with subprocess.Popen(
        [sys.executable, "-c", _OWNER_PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        yield msgspec.json.decode(process.stdout.readline(), type=Owner)
        process.communicate()


def changed(**changes: object) -> Owner:
    """This process as an owner, but for what is changed."""
    return msgspec.structs.replace(this_process(), **changes)


def enter(store: Store, owner: Owner, *, lease_seconds: float = LEASE) -> int:
    """Register an owner with a long lease."""
    return store.enter(owner, lease_seconds=lease_seconds)


def granted_in_time(scene: Scene, unit: Unit) -> bool:
    """Whether the claim on a unit is granted before patience ends."""
    patience = monotonic() + PATIENCE_SECONDS
    while monotonic() < patience:
        if scene.claim(unit):
            return True
    return False


class ClaimPromises(StoreTests):
    """A key is worked on by one owner at a time, and the dead hold nothing up."""

    def test_who_holds_a_claim_is_known_until_it_is_given_back(self, scene: Scene) -> None:
        assert scene.store.holders([scene.key(UNIT)]) == []
        scene.claim(UNIT)
        (holder,) = scene.store.holders([scene.key((1, 0)), scene.key(UNIT), scene.key(UNIT)])
        assert holder.pid == this_process().pid
        scene.store.leave(scene.owner)
        assert scene.store.holders([scene.key(UNIT)]) == []

    def test_a_free_key_is_granted_once(self, scene: Scene) -> None:
        other = enter(scene.store, this_process())
        assert scene.claim(UNIT, (1, 0)) == {scene.key(UNIT), scene.key((1, 0))}
        assert scene.claim(UNIT, (2, 0), owner=other) == {scene.key((2, 0))}

    def test_a_key_that_one_holds_already_is_not_granted_again(self, scene: Scene) -> None:
        scene.claim(UNIT)
        assert scene.claim(UNIT) == frozenset()

    def test_a_key_asked_for_twice_in_one_batch_is_granted_once(self, scene: Scene) -> None:
        assert scene.claim(UNIT, UNIT) == {scene.key(UNIT)}

    def test_a_key_whose_trace_is_stored_is_not_granted(self, scene: Scene) -> None:
        scene.made("r", UNIT)
        assert scene.claim(UNIT, (0, 1)) == {scene.key((0, 1))}

    def test_a_trace_frees_the_claim_on_its_key_whoever_holds_it(self, scene: Scene) -> None:
        other = enter(scene.store, this_process())
        scene.claim(UNIT, owner=other)
        trace = scene.made("r", UNIT)
        scene.commit(Batch(dropped=[trace.ref]))
        assert scene.claim(UNIT) == {scene.key(UNIT)}

    def test_a_claim_can_be_given_back_by_its_owner_alone(self, scene: Scene) -> None:
        other = enter(scene.store, this_process())
        scene.claim(UNIT)
        scene.commit(Batch(releases=[scene.key(UNIT)]), owner=other)
        assert scene.claim(UNIT, owner=other) == frozenset()
        scene.commit(Batch(releases=[scene.key(UNIT), scene.key((3, 1))]))
        assert scene.claim(UNIT, owner=other) == {scene.key(UNIT)}

    def test_an_owner_that_leaves_holds_nothing_any_more(self, scene: Scene) -> None:
        other = enter(scene.store, this_process())
        scene.claim(UNIT, (1, 0))
        scene.store.leave(scene.owner)
        assert scene.claim(UNIT, (1, 0), owner=other) == {scene.key(UNIT), scene.key((1, 0))}

    def test_an_owner_that_enters_again_is_the_same_owner(self, store: Store) -> None:
        owner = this_process()
        ref = enter(store, owner)
        assert enter(store, owner) == ref
        assert enter(store, this_process()) != ref

    def test_claims_of_a_living_process_are_kept_and_those_of_a_dead_one_are_free_at_once(self, scene: Scene) -> None:
        with another_process() as owner:
            other = enter(scene.store, owner)
            assert scene.claim(UNIT, owner=other) == {scene.key(UNIT)}
            assert scene.claim(UNIT) == frozenset()
        assert scene.claim(UNIT) == {scene.key(UNIT)}

    def test_entering_frees_what_the_dead_have_left(self, scene: Scene) -> None:
        with another_process() as owner:
            scene.claim(UNIT, owner=enter(scene.store, owner))
        newcomer = enter(scene.store, this_process())
        assert scene.claim(UNIT, owner=newcomer) == {scene.key(UNIT)}

    def test_a_process_that_only_has_the_number_of_the_owner_is_not_the_owner(self, scene: Scene) -> None:
        earlier = enter(scene.store, changed(started="1"))
        scene.claim(UNIT, owner=earlier)
        assert scene.claim(UNIT) == {scene.key(UNIT)}

    def test_what_was_claimed_before_the_machine_started_again_is_free(self, scene: Scene) -> None:
        earlier = enter(scene.store, changed(boot="an earlier boot"))
        scene.claim(UNIT, owner=earlier)
        assert scene.claim(UNIT) == {scene.key(UNIT)}

    def test_claims_of_another_host_are_kept_for_their_lease(self, scene: Scene) -> None:
        afar = enter(scene.store, changed(host="another host"))
        assert scene.claim(UNIT, owner=afar) == {scene.key(UNIT)}
        assert scene.claim(UNIT) == frozenset()

    def test_claims_of_another_host_are_free_after_their_lease(self, scene: Scene) -> None:
        afar = enter(scene.store, changed(host="another host"), lease_seconds=0.01)
        scene.claim(UNIT, owner=afar)
        assert granted_in_time(scene, UNIT)

    def test_a_lease_is_renewed_by_entering_again(self, scene: Scene) -> None:
        owner = changed(host="another host")
        afar = enter(scene.store, owner, lease_seconds=0.01)
        scene.claim(UNIT, owner=afar)
        assert granted_in_time(scene, UNIT)
        scene.claim((1, 0), owner=enter(scene.store, owner))
        enter(scene.store, this_process())
        assert scene.claim((1, 0)) == frozenset()

    def test_a_key_is_free_to_claim_in_the_batch_that_drops_its_trace(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        committed = scene.commit(Batch(dropped=[trace.ref], claims=[scene.key(UNIT)]))
        assert committed.granted == {scene.key(UNIT)}
