"""A survey in a store of objects, with and without a cluster: a real S3 server on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from distributed import Client

from audiencelab.client import connect
from audiencelab.engine import CrosstabSpec, Engine
from audiencelab.engine.distributed import ClusterError, attach
from audiencelab.expressions import Q
from audiencelab.survey import Survey, SurveyError
from tests.engine.distributed.asking import cells
from tests.engine.distributed.test_dask import MANY_ROWS
from tests.engine.studies import Study

ADDRESS = "s3://surveys/study"


@pytest.fixture(scope="module")
def store(study: Study, dask_client: Client) -> Iterator[object]:
    """The file system of a store that holds the study; workers and this process know the way."""
    moto = pytest.importorskip("moto.server", reason="moto serves the objects")
    s3fs = pytest.importorskip("s3fs", reason="s3fs reads them")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "tests",
        "AWS_SECRET_ACCESS_KEY": "tests",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    dask_client.run(lambda: os.environ.update(settings))
    files = s3fs.S3FileSystem()
    files.mkdir("surveys")
    files.put(str(study.survey.path), "surveys/study", recursive=True)
    yield files
    server.stop()
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


def test_a_survey_in_a_store_is_read_without_a_cluster(store: object, here: Engine) -> None:
    survey = Survey.open(ADDRESS)
    assert cells(Engine(survey), MANY_ROWS) == cells(here, MANY_ROWS)


def test_a_survey_in_a_store_is_counted_by_a_cluster(
    store: object, here: Engine, dask_client: Client
) -> None:
    survey = Survey.open(ADDRESS)
    engine = Engine(survey, tabulator=attach(survey, dask_client))
    assert cells(engine, MANY_ROWS) == cells(here, MANY_ROWS)


def test_a_client_of_it_knows_it_by_its_address(store: object, dask_client: Client) -> None:
    with connect(survey=ADDRESS, engine=dask_client) as client:
        assert "survey study" in repr(client)
        assert len(client.catalogue.questions) == len(Survey.open(ADDRESS).catalogue.questions)


def test_objects_that_are_lost_are_named(store, dask_client: Client) -> None:
    store.copy("surveys/study", "surveys/lost", recursive=True)
    survey = Survey.open("s3://surveys/lost")
    engine = Engine(survey, tabulator=attach(survey, dask_client))
    store.rm("surveys/lost/waves/q4_2023/bits.npy")
    with pytest.raises(ClusterError, match=r"s3://surveys/lost, wave q4_2023.*bits.npy.*missing"):
        cells(engine, MANY_ROWS)


def test_a_flipped_bit_is_refused_with_its_question(store, dask_client: Client) -> None:
    """The same on the workers of a cluster, and without one."""
    store.copy("surveys/study", "surveys/flipped", recursive=True)
    name = "surveys/flipped/waves/q4_2023/bits.npy"
    octets = bytearray(store.cat_file(name))
    octets[-1] ^= 1
    store.pipe_file(name, bytes(octets))
    survey = Survey.open("s3://surveys/flipped")
    [stored] = [each for each in survey.manifest.waves if each.wave.code == "q4_2023"]
    last = max(stored.questions, key=stored.questions.__getitem__)
    message = rf"s3://surveys/flipped/waves/q4_2023/bits\.npy is damaged: the answers to {last} in"
    with pytest.raises(SurveyError, match=message):
        survey.wave("q4_2023").question(last)
    point = survey.catalogue.question(last).datapoints[0].code
    engine = Engine(survey, tabulator=attach(survey, dask_client))
    with pytest.raises(ClusterError, match=message):
        cells(engine, CrosstabSpec((Q(last).any(point),), (None,)))
