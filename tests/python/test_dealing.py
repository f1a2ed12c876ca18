"""Which runs a worker of a cluster gets, and which run is to blame when it ends."""

from penstock.records import RunRequest
from penstock.workers.dask_crew import Dealer
from penstock.workers.job import Job


def jobs(count, hops=0.0):
    return [Job(RunRequest("", replication=number, hops=hops), None, str(number)) for number in range(count)]


def numbers(batch):
    return [job.request.replication for job in batch.jobs]


def test_first_batches_are_of_one_run_and_a_worker_has_one_more_than_it_has_cores():
    dealer = Dealer(jobs(10))
    assert [numbers(dealer.deal("a", 2, 2)) for _ in range(3)] == [[0], [1], [2]]
    assert dealer.deal("a", 2, 2) is None
    assert numbers(dealer.deal("b", 1, 3)) == [3]


def test_batches_last_as_long_as_they_should_once_it_is_known_how_long_a_run_takes():
    dealer = Dealer(jobs(1000))
    dealer.ended(dealer.deal("a", 1, 1), 0.05)
    # 0.5 s of runs of 0.05 s.
    assert numbers(dealer.deal("a", 1, 1)) == list(range(1, 11))


def test_foreseen_costs_count():
    dealer = Dealer([*jobs(1, hops=100.0), *jobs(500, hops=10.0)])
    dealer.ended(dealer.deal("a", 1, 1), 1.0)
    # 0.01 s a packet-hop, so 0.1 s each.
    assert len(dealer.deal("a", 1, 1).jobs) == 5


def test_the_last_batches_are_small():
    dealer = Dealer(jobs(13))
    dealer.ended(dealer.deal("a", 1, 2), 0.001)
    assert len(dealer.deal("a", 1, 2).jobs) == 12 // 4


def test_no_more_runs_at_the_same_time_than_asked_for():
    dealer = Dealer(jobs(9), most=2)
    assert [dealer.deal(worker, 1, 3) is None for worker in "aabc"] == [False, True, False, True]


def test_what_was_with_a_worker_that_ended_is_made_alone_and_the_guilty_is_found():
    dealer = Dealer(jobs(100))
    dealer.ended(dealer.deal("a", 1, 1), 0.1)
    batch = dealer.deal("a", 1, 1)
    dealer.deal("a", 1, 1)
    assert dealer.lost("a", "at a") == []
    suspects, failed = len(batch.jobs) * 2, []
    for number in range(suspects + 2):
        name = f"w{number}"
        trial = dealer.deal(name, 1, 1)
        assert (trial.alone, len(trial.jobs)) == (True, 1)
        assert dealer.deal(name, 1, 1) is None
        if numbers(trial) == [3]:
            failed += dealer.lost(name, f"at {name}")
        else:
            dealer.ended(trial, 0.1)
    [(job, why)] = failed
    assert (job.request.replication, why.attempts, why.ours) == (3, 3, False)
    assert not dealer.deal("b", 1, 1).alone


def test_a_worker_ends_what_it_has_before_it_makes_a_run_alone():
    dealer = Dealer(jobs(10))
    dealer.deal("a", 1, 2), dealer.deal("a", 1, 2)
    own = dealer.deal("b", 1, 2)
    dealer.lost("a", "at a")
    assert dealer.deal("b", 1, 2) is None
    dealer.ended(own, 1.0)
    assert dealer.deal("b", 1, 2).alone


def test_what_was_not_made_is_the_next_again():
    dealer = Dealer(jobs(5))
    first, second = dealer.deal("a", 1, 1), dealer.deal("a", 1, 1)
    dealer.returned(second)
    dealer.returned(first)
    assert numbers(dealer.deal("b", 1, 1)) == [0]
    assert dealer.left
