"""Archives: what was exported comes back on another machine, and nothing is believed that is not so."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from contextlib import suppress

import pytest

from penstock import _core
from penstock.errors import InputError, StoreError
from penstock.store.archive import Reading
from penstock.store.folder import sealed_json

pytestmark = pytest.mark.usefixtures("core")


def members(archive):
    with tarfile.open(archive) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}


def rewritten(archive, change):
    """Changes the members as somebody would who also makes sizes, hashes and the list's checksum right."""
    content = members(archive)
    listed = json.loads(content.pop("archive.json"))
    change(content)
    del listed["checksum"]
    listed["members"] = [
        [
            "scenario" if name.startswith("scenarios") else "run",
            name.partition("/")[2].partition(".")[0],
            len(each),
            hashlib.blake2b(each, digest_size=32).hexdigest(),
        ]
        for name, each in content.items()
    ]
    with gzip.open(archive, "wb") as packed:
        for name, each in {"archive.json": sealed_json(listed), **content}.items():
            info = tarfile.TarInfo(name)
            info.size = len(each)
            packed.write(info.tobuf(tarfile.USTAR_FORMAT) + each + bytes(-len(each) % 512))
        packed.write(bytes(1024))


def resealed(content, **changed):
    data = {**json.loads(content), **changed}
    del data["checksum"]
    return sealed_json(data)


def first_run(content):
    return next(name for name in content if name.startswith("runs/"))


@pytest.fixture
def archive(penstock, demo, tmp_path):
    penstock("run", demo, "--runs", "4", "--set", "rate=1.5,2.5")
    assert penstock("export", "a.tar.gz")[0] == 0
    return tmp_path / "a.tar.gz"


def stored(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("runs/*/*.json")}


def test_what_is_exported_comes_back(penstock, demo, archive, tmp_path, core):
    made = core.Scenario.runs
    code, out, _ = penstock("import", archive, "--store", "other", "--pick", "1")
    assert (code, core.Scenario.runs) == (0, made + 5)
    assert "8 runs verified, 5 of them made again; 8 taken into the store, 0 were there." in out
    assert stored(tmp_path / "other") == stored(tmp_path / "store") != {}
    digest = out.split()[-1]
    again = json.loads(
        penstock("import", archive, "--store", "other", "--digest", digest, "--sample", "all", "--format", "json")[1]
    )
    assert again == {"runs": 8, "made_again": 8, "new": 0, "digest": digest, "dry_run": False}
    code, _, err = penstock("run", demo, "--runs", "4", "--set", "rate=1.5,2.5", "--store", "other")
    assert (code, err, core.Scenario.runs) == (0, "", made + 13)
    # The other store stands for itself, and gives the same archive.
    assert penstock("verify", "--store", "other")[0] == 0
    exported = json.loads(penstock("export", "b.tar.gz", "--store", "other", "--format", "json")[1])
    assert exported == {"runs": 8, "scenarios": 1, "left_out": 0, "digest": digest}
    assert (tmp_path / "b.tar.gz").read_bytes() == archive.read_bytes()


def test_runs_are_chosen_for_an_archive(penstock, demo, archive):
    for options, runs in ((("--where", "rate=1.5"), 4), (("--name", "demo"), 8), (("--seed", "3"), 8)):
        name = f"{runs}{options[0][2:]}.tar.gz"
        assert json.loads(penstock("export", name, *options, "--format", "json")[1])["runs"] == runs
    penstock("run", demo, "--runs", "2")
    found = json.loads(penstock("export", "study.tar.gz", "--study", demo, "--format", "json")[1])
    assert found["runs"] == 2
    code, out, err = penstock("export", "none.tar.gz", "--name", "other")
    assert (code, out) == (2, "")
    assert "is chosen: 'penstock runs' lists the stored runs" in err
    code, _, err = penstock("export", archive)
    assert code == 2
    assert "there is something by this name already" in err
    assert penstock("export", "no/such/a.tar.gz")[0] == 2


def test_the_runs_of_a_study_are_those_that_it_uses(penstock, demo, core):
    penstock("run", demo, "--runs", "2")
    demo.write_text(f"# The same simulation.\n{demo.read_text()}")
    made = core.Scenario.runs
    penstock("run", demo, "--runs", "2", "--set", "rate=1.00")
    assert core.Scenario.runs == made
    assert json.loads(penstock("export", "a.tar.gz", "--study", demo, "--format", "json")[1])["runs"] == 2
    assert json.loads(penstock("verify", "--study", demo, "--format", "json")[1])["read"] == 2
    demo.write_text(demo.read_text().replace("seed = 3", "seed = 4"))
    assert penstock("export", "b.tar.gz", "--study", demo)[0] == 2


def test_a_dry_import_takes_nothing(penstock, archive, tmp_path):
    code, out, _ = penstock("import", archive, "--store", "other", "--dry-run")
    assert code == 0
    assert "8 would be taken into the store" in out
    assert not (tmp_path / "other").exists()


def altered(**changed):
    def change(content):
        name = first_run(content)
        content[name] = resealed(content[name], **changed)

    return change


def rows(edit):
    """Changes the rows of a run, and makes its counts and its checksum right."""

    def change(content):
        name = first_run(content)
        data = json.loads(content[name])
        changed, [(measure, _), *others] = edit(data["metrics"]), data["measured"]
        content[name] = resealed(content[name], metrics=changed, measured=[[measure, len(changed)], *others])

    return change


def renamed(content):
    name = first_run(content)
    content["runs/" + "ab" * 32 + ".json"] = content.pop(name)


def other_text(content):
    name = next(iter(content))
    content[name] = content[name].replace(b"1.0", b"2.0")


def without_text(content):
    del content[next(iter(content))]


def unsealed(content):
    name = first_run(content)
    content[name] = content[name].replace(b'"packet_hops": 1000', b'"packet_hops": 1001')


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (altered(digest="00" * 8), "came out otherwise"),
        (altered(packet_hops=1001), "came out otherwise"),
        (altered(metrics=[]), "has 0 numbers but claims others"),
        (altered(measured=[["other", 2], ["always", 0]]), "measures something else than its scenario"),
        (altered(measured=None), "measures something else than its scenario"),
        (altered(measured=[["default", -1], ["always", 3]]), "has 2 numbers but claims others"),
        (rows(lambda rows: rows[:1]), "it lacks 'drops link=a-b, cause=overflow', which its scenario measures"),
        (rows(lambda rows: [*rows, rows[0]]), "it has 'goodput flow=bulk' 2 times"),
        (rows(lambda rows: [*rows, {**rows[0], "name": "delay"}]), "it has 'delay flow=bulk' that its scenario does"),
        (rows(lambda rows: [rows[0], {**rows[1], "unit": "bytes"}]), "it lacks 'drops link=a-b, cause=overflow'"),
        (altered(seed=7), "is not named by what it says it was made from"),
        (altered(replication=77), "is not named by what it says it was made from"),
        (altered(settings=[["rate", "9"]]), "is not named by what it says it was made from"),
        (altered(model_version="another"), "is not named by what it says it was made from"),
        (altered(format=2), "has a run of an earlier format"),
        (altered(format=6), "has a run of a newer format (6)"),
        (altered(made="yesterday"), "cannot be decoded"),
        (renamed, "is the file of another run"),
        (other_text, "is not the text that it is named by"),
        (without_text, "is not in it"),
        (unsealed, "does not match its checksum"),
    ],
)
def test_an_archive_that_was_tampered_with_is_refused_whole(penstock, archive, tmp_path, change, told):
    rewritten(archive, change)
    code, out, err = penstock("import", archive, "--store", "other", "--sample", "all")
    assert (code, out) == (1, "")
    assert told in err
    assert "Nothing was taken from it" in err
    assert not (tmp_path / "other").exists()


def test_an_archive_written_again_is_another_by_its_digest(penstock, archive, tmp_path):
    digest = Reading(archive).digest
    rewritten(archive, altered(metrics=[]))
    code, _, err = penstock("import", archive, "--store", "other", "--sample", "0", "--digest", digest)
    assert code == 2
    assert "it is another archive or was altered" in err
    assert penstock("import", archive, "--digest", "ab")[0] == 2
    assert not (tmp_path / "other").exists()


def test_no_length_and_no_byte_passes(archive):
    """Of the packed content and of the file: it is refused, or its content has not changed."""

    def said():
        reading = Reading(archive)
        return reading.digest, reading.texts(), [(member, content) for member, content, _ in reading.runs()]

    def check():
        with suppress(StoreError):
            assert said() == sound

    whole, packed, sound = archive.read_bytes(), gzip.decompress(archive.read_bytes()), said()
    for length in range(0, len(whole), 7):
        archive.write_bytes(whole[:length])
        with pytest.raises(StoreError):
            said()
    for place in range(0, len(packed), 37):
        changed = bytearray(packed)
        changed[place] ^= 1 << place % 8
        archive.write_bytes(gzip.compress(bytes(changed), 1))
        check()
    for place in range(0, len(whole), 11):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        archive.write_bytes(changed)
        check()
    for content in (b"", b"no archive", gzip.compress(b""), gzip.compress(bytes(10_240))):
        archive.write_bytes(content)
        with pytest.raises(StoreError):
            said()


def test_members_that_would_lead_elsewhere_are_refused(archive):
    for name in ("../outside", "/tmp/outside", "runs/../../outside.json"):
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w:gz") as tar:
            info = tarfile.TarInfo(name)
            info.size = 4
            tar.addfile(info, io.BytesIO(b"evil"))
        archive.write_bytes(content.getvalue())
        with pytest.raises(StoreError, match="does not begin with its list"):
            Reading(archive)


def test_runs_of_another_model_are_not_believed(penstock, archive, tmp_path, monkeypatch):
    monkeypatch.setattr(_core, "MODEL_VERSION", "newer")
    code, _, err = penstock("import", archive, "--store", "other")
    assert code == 1
    assert "has runs of another version of the model (fake, Penstock 0.0.0)" in err
    code, _, err = penstock("export", "b.tar.gz")
    assert code == 2
    assert "8 are of other versions of the model" in err
    assert not (tmp_path / "other").exists()


def test_a_run_that_is_another_here_is_told(penstock, archive, tmp_path):
    file = next((tmp_path / "store" / "runs").glob("*/*.json"))
    file.write_bytes(resealed(file.read_bytes(), digest="00"))
    code, _, err = penstock("import", archive, "--sample", "0")
    assert code == 1
    assert "is another than the one in the store" in err


def test_an_archive_that_is_not_there(penstock, tmp_path):
    assert penstock("import", "none.tar.gz")[0] == 2
    with pytest.raises(InputError, match="there is no such file"):
        Reading(tmp_path / "none.tar.gz")
    with pytest.raises(InputError, match="cannot be read"):
        Reading(tmp_path)


def test_rows_are_compared_whatever_is_made_again(penstock, archive, tmp_path):
    rewritten(archive, rows(lambda rows: rows[:1]))
    code, _, err = penstock("import", archive, "--store", "other", "--sample", "0")
    assert (code, "it lacks" in err, (tmp_path / "other").exists()) == (1, True, False)


@pytest.mark.parametrize("most", [5, 11])
def test_scenarios_are_bounded_together(penstock, demo, archive, tmp_path, monkeypatch, most):
    size = len(demo.read_bytes())
    (tmp_path / "more.toml").write_text(demo.read_text() + "\n# more\n")
    assert penstock("run", "more.toml", "--runs", "1")[0] == 0
    assert penstock("export", "b.tar.gz")[0] == 0
    monkeypatch.setattr("penstock.store.archive.LARGEST_TEXTS", size + most)
    monkeypatch.setattr("penstock.cli.export.LARGEST_TEXTS", size + most)
    if most == 5:
        code, _, err = penstock("import", "b.tar.gz", "--store", "other")
        assert (code, "has scenarios of more than" in err) == (1, True)
        code, _, err = penstock("export", "c.tar.gz")
        assert (code, "export fewer at once" in err, (tmp_path / "c.tar.gz").exists()) == (2, True, False)
    assert penstock("import", archive, "--store", "other", "--sample", "0")[0] == 0
    assert penstock("export", "c.tar.gz", "--name", "demo")[0] == 0


def test_a_member_larger_than_memory_is_refused_before_it_is_read(penstock, archive, monkeypatch):
    monkeypatch.setattr("penstock.memory._SMALL_FILE", 0)
    code, _, err = penstock("import", archive, "--store", "other", "--memory", "1 kB")
    assert code == 1
    assert "take about" in err
    assert "what --memory allows" in err
