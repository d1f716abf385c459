"""Series of datasets: leaves, keys and paths, and statements that must be true of the whole dataset."""

# cspell:ignore surrogatepass ufeff

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from itertools import combinations, pairwise, product
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wattfeed.verify import (
    RefutedError,
    Request,
    Series,
    Statement,
    Trust,
    UnreadableError,
    verify,
    verify_series,
)
from wattfeed.verify._bytes import MalformedError
from wattfeed.verify._leaves import MAX_LEAF_BYTES, Leaf, leaf_hash, node_hash, read_leaf, root_by_path, series_key
from wattfeed.verify._series import check_statement

from .dataset import DAYS, FREQUENCY, LEAVES, RECIPE, ROUTE, Dataset, asked, leaf, path_of, root_of
from .world import FEED, World, feed, reading_of

SIZES = range(1, 41)
HASHES = [leaf_hash(bytes([number])) for number in range(SIZES[-1])]
STATEMENTS: tuple[Statement, ...] = get_args(Statement)

parts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
ids = st.text("AZaz09_-", min_size=1, max_size=3)
# A high surrogate before a low one would be one character.
texts = st.text(st.characters(), max_size=8).map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
leaves = st.builds(
    Leaf,
    parts,
    parts.filter(lambda route: route.split("/")[0] != "aeo"),
    parts,
    st.dictionaries(ids, st.none() | parts, max_size=3).map(lambda facets: tuple(sorted(facets.items()))),
    parts,
    st.none() | texts,
    st.none() | texts.filter(bool),
)


@given(leaves)
def test_leaf_is_read_as_it_is_written(written: Leaf) -> None:
    assert read_leaf(str(written)) == written
    found = json.loads(str(written))
    assert list(found) == ["column", "source"]
    assert list(found["source"]) == ["route", "frequency", "facets", "period", "value", "unit"]
    assert (found["source"]["value"], found["source"]["facets"]) == (
        written.value,
        [list(pair) for pair in written.facets],
    )


def test_leaf_is_the_text_of_the_specification() -> None:
    assert str(leaf("RWTC", "2026-11-16")) == (
        '{"column":"value","source":{"route":"petroleum/pri/spt","frequency":"daily",'
        '"facets":[["product","EPCWTI"],["series","RWTC"]],"period":"2026-11-16","value":"59.91","unit":"$/BBL"}}'
    )
    odd = leaf(value='"\\\b\t\n\f\r\x1f\x7f\u2028é\ud800')
    assert r'"value":"\"\\\b\t\n\f\r\u001f' + "\x7f\u2028é" + r'\ud800"' in str(odd)
    assert read_leaf(str(odd)) == odd


LEAF = str(leaf())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"column"', ' {"column"'),
        ('"column":"value",', '"column":"value", '),
        ('"column":"value",', ""),
        ('"column":"value",', '"column":"a","column":"value",'),
        ('"column":"value"', '"column":null'),
        ('"column":"value"', '"column":"\ud800"'),
        ('"column":"value"', r'"column":"\ud800"'),
        ('"unit":"$/BBL"', '"unit":"$/BBL","more":null'),
        ('"unit":"$/BBL"', '"unit":""'),
        (',"unit":"$/BBL"', ""),
        ('"value":"59.91"', '"value":59.91'),
        ('"value":"59.91"', r'"value":"\u0041"'),
        ('"value":"59.91"', r'"value":"\/"'),
        ('"value":"59.91"', r'"value":"\u001F"'),
        ('"value":"59.91"', r'"value":"\uD800"'),
        ('"value":"59.91"', r'"value":"\ud83d\ude00"'),
        ('"value":"59.91"', '"value":"\t"'),
        ('"value":"59.91"', f'"value":"{"9" * MAX_LEAF_BYTES}"'),
        ('"value":"59.91"', f'"value":{"[" * 2000}'),
        ('"frequency":"daily"', '"frequency":""'),
        ('"period":"2026-11-13"', r'"period":"\u0000"'),
        ('"route":"petroleum/pri/spt","frequency":"daily"', '"frequency":"daily","route":"petroleum/pri/spt"'),
        ('["product","EPCWTI"],["series","RWTC"]', '["series","RWTC"],["product","EPCWTI"]'),
        ('["product","EPCWTI"]', '["series","EPCWTI"]'),
        ('["product","EPCWTI"]', '["prod.uct","EPCWTI"]'),
        ('["product","EPCWTI"]', '["product",""]'),
        ('["product","EPCWTI"]', '["product"]'),
        ('["product","EPCWTI"]', '["product","EPCWTI",null]'),
    ],
)
def test_text_of_another_form_is_no_leaf(old: str, new: str) -> None:
    assert LEAF.count(old) == 1
    for text in (LEAF.replace(old, new), "\ufeff" + LEAF):
        with pytest.raises(ValueError, match=r".+"):
            read_leaf(text)


def test_leaf_may_have_as_many_bytes_as_allowed() -> None:
    room = MAX_LEAF_BYTES - len(str(leaf(value="")).encode())
    read_leaf(str(leaf(value="é" * (room // 2) + "9" * (room % 2))))
    with pytest.raises(MalformedError):
        read_leaf(str(leaf(value="é" * (room // 2) + "9" * (room % 2 + 1))))


@given(leaves, leaves)
def test_keys_are_in_the_order_of_the_file_index(one: Leaf, other: Leaf) -> None:
    def written(each: Leaf) -> bytes:
        return b"".join(element + b"\0" for element in each.key)

    assert (one.key < other.key) == (written(one) < written(other))


def test_key_of_a_null_facet_has_an_empty_element_and_its_period_last() -> None:
    expected = (b"petroleum/pri/spt", b"daily", b"value", b"product", b"EPCWTI", b"series", b"", b"2026-11-13")
    assert leaf(None).key == expected
    assert series_key("r", "f", "c", {"b": "2", "a": None}) == (b"r", b"f", b"c", b"a", b"", b"b", b"2")


@pytest.mark.parametrize("size", SIZES)
def test_path_of_each_leaf_leads_to_the_root_and_no_other_does(size: int) -> None:
    hashes = HASHES[:size]
    root = root_of(hashes)

    def leads(hashed: bytes, index: int, path: list[str]) -> bool:
        try:
            return root_by_path(hashed, index, size, path) == root
        except MalformedError:
            return False

    for index, hashed in enumerate(hashes):
        path = path_of(index, hashes)
        assert leads(hashed, index, path)
        for other in range(size + 2):
            assert leads(hashed, other, path) == (other == index)
        assert not leads(leaf_hash(b"other"), index, path)
        for changed in (
            [*path, ZEROS],
            [ZEROS, *path],
            path[1:],
            path[:-1],
            path[::-1],
            [each.upper() for each in path],
        ):
            assert leads(hashed, index, changed) == (changed == path)


ZEROS = "00" * 32


def test_tree_of_three_leaves_is_split_after_two() -> None:
    one, two, three = HASHES[:3]
    assert root_of([one, two, three]) == node_hash(node_hash(one, two), three)


def test_path_of_a_larger_tree_is_too_long() -> None:
    one, two = HASHES[:2]
    with pytest.raises(MalformedError, match="too long"):
        root_by_path(two, 0, 1, [one.hex()])


def is_true(statement: Statement, series: Series, dataset: list[Leaf]) -> bool:
    """Whether a statement is true of a whole dataset, and can be stated: no absence of a column that it lacks."""
    own = [each for each in dataset if dict(each.facets) == series.facets and each.column == series.column]
    periods = [each.period for each in own]
    is_covered = any(each.column == series.column for each in dataset)
    if statement == "no_series":
        return is_covered and not own
    if statement == "newest":
        return series.period is None and bool(own)
    if statement == "value":
        return series.period in periods
    return is_covered and series.period is not None and series.period not in periods


datasets = st.sets(
    st.tuples(st.sampled_from(["price", "value"]), st.sampled_from([None, "A", "B", "BA", "C"]), st.sampled_from(DAYS)),
    min_size=1,
).map(lambda rows: sorted((leaf(name, day, column=column) for column, name, day in rows), key=lambda each: each.key))


@given(datasets)
def test_statement_has_evidence_exactly_if_it_is_true(dataset: list[Leaf]) -> None:
    places = list(enumerate(dataset))
    evidence = [[place] for place in places] + [list(pair) for pair in pairwise(places)]
    periods = (None, "2026-11-01", *DAYS, "2026-12-01")
    for column, name, period in product(("price", "value"), (None, "A", "AA", "B", "Z"), periods):
        series = asked(name, period, column)
        for statement in STATEMENTS:
            shown = [found for found in evidence if shows(statement, series, found, len(dataset))]
            assert bool(shown) == is_true(statement, series, dataset), (statement, series)
            for found in shown if statement in ("value", "newest") else ():
                own = [each for each in dataset if each.series == found[0][1].series]
                assert found[0][1] in (own if statement == "value" else own[-1:])


def shows(statement: Statement, series: Series, evidence: list[tuple[int, Leaf]], size: int) -> bool:
    try:
        check_statement(statement, series, evidence, size)
    except MalformedError:
        return False
    return True


def test_leaves_that_are_no_neighbors_show_nothing() -> None:
    places = list(enumerate(LEAVES))
    far = [list(pair) for pair in product(places, places) if pair[1][0] != pair[0][0] + 1]
    many = [[], *(list(found) for found in combinations(places, 3))]
    for evidence, statement, name, period in product(far + many, STATEMENTS, ("A", "B", "RWTC", "Z"), (None, *DAYS)):
        assert not shows(statement, asked(name, period), evidence, len(LEAVES))


def test_value_has_one_leaf_and_those_of_others_are_sorted() -> None:
    value, newest = asked("C", DAYS[1]), asked("RWTC", None)
    third, fourth = (2, LEAVES[2]), (3, LEAVES[3])
    assert shows("value", value, [third], 5)
    assert not shows("value", value, [third, fourth], 5)
    assert shows("newest", newest, [fourth, (4, leaf("Z"))], 5)
    assert not shows("newest", newest, [fourth, (4, leaf("A"))], 5)
    assert not shows("newest", newest, [fourth, (4, leaf("RWTC", DAYS[1]))], 5)
    # A leaf with more facets, between the periods of the series: others of the series may follow.
    more = replace(leaf("RWTC"), facets=(*leaf("RWTC").facets, ("x", "1")))
    assert fourth[1].key < more.key < leaf("RWTC", "z").key
    assert not shows("newest", newest, [fourth, (4, more)], 5)


DATASET = Dataset()
BUILT = DATASET.built
PROVEN: dict[str, tuple[Series, tuple[int, ...], str]] = {
    "value": (asked("RWTC", DAYS[0]), (3,), f"{DAYS[0]} = 59.91 $/BBL (leaf 3 of 5)"),
    "newest": (asked("RWTC", None), (4,), f"newest {DAYS[2]} = 60.10 $/BBL (leaf 4 of 5)"),
    "no_period": (asked("RWTC", DAYS[1]), (3, 4), f"has no value for {DAYS[1]} (of 5 values)"),
    "no_series": (asked("B", None), (1, 2), "has no value (of 5 values)"),
}


@pytest.mark.parametrize(
    ("statement", "series", "indices", "expected"),
    [
        *((statement, *found) for statement, found in PROVEN.items()),
        ("value", asked("C", DAYS[1]), (2,), f"{DAYS[1]} = w $/BBL (leaf 2 of 5)"),
        ("newest", asked("A", None), (1, 2), f"newest {DAYS[1]} = withheld (leaf 1 of 5)"),
        ("no_period", asked("A", "2026-01-01"), (0,), "has no value for 2026-01-01 (of 5 values)"),
        ("no_period", asked("RWTC", "2027-01-01"), (4,), "has no value for 2027-01-01 (of 5 values)"),
        ("no_series", asked(None, DAYS[0]), (0,), "has no value (of 5 values)"),
        ("no_series", asked("Z", DAYS[0]), (4,), "has no value (of 5 values)"),
    ],
)
def test_statement_is_proven(statement: str, series: Series, indices: tuple[int, ...], expected: str) -> None:
    document = DATASET.document(series, statement, *indices)
    result = verify_series(document, BUILT.trust, Request(series=series))
    name = series.facets["series"] or ""
    assert str(result) == f"petroleum/pri/spt daily value product=EPCWTI series={name} {expected}"
    links = [check.link for check in result.checks]
    assert links[:2] == ["registries", "what was asked for"]
    assert links[-3 - len(indices) :] == ["reading", "dataset", *(f"leaf {index}" for index in indices), "statement"]
    assert str(verify(document, BUILT.trust)) == str(result)


def test_an_older_root_is_named() -> None:
    result = verify_series(DATASET.document(asked("RWTC", None), "newest", 4), BUILT.trust)
    older = replace(result, root=replace(result.root, index=7))
    assert str(older) == str(result).replace("of 5)", "of 5, root 7)") != str(result)


def broken_link(document: Any, trust: Trust, request: Request | None = None) -> str:
    with pytest.raises(RefutedError) as caught:
        verify(document, trust, request or Request())
    return caught.value.link


def described(
    description: str = RECIPE, decimals: int = 0, unit: str = "values", source: str = "EIA", route: str = ROUTE
) -> bytes:
    return feed(decimals, unit, source, route, description)


NAME = "EIA.DATASET.PETROLEUM.PRI.SPT.DAILY"


@pytest.mark.parametrize(
    "dataset",
    [
        Dataset(feed_id=FEED),
        Dataset(feed_id=NAME.lower()),
        Dataset(feed=described(decimals=1)),
        Dataset(feed=described(unit="$")),
        Dataset(feed=described(source="eia")),
        Dataset(feed=described(route=f"{ROUTE}/")),
        *(
            Dataset(feed=described(recipe))
            for recipe in (
                "",
                f"{RECIPE}\n",
                f" {RECIPE}",
                f"{RECIPE};",
                RECIPE.replace(":1;", ":2;"),
                RECIPE.replace("price,value", "value,price"),
                RECIPE.replace("price,value", "value,value"),
                RECIPE.replace("price,value", "price"),
                RECIPE.replace("price,value", ""),
                RECIPE.replace("price,value", "value,"),
                RECIPE.replace("all", "0"),
                RECIPE.replace("all", "01"),
                RECIPE.replace("all", f"{2**53}"),
                RECIPE.replace("all", "9" * 5000),
                RECIPE.replace("all", "ALL"),
                RECIPE.replace("product,series", "series"),
                RECIPE.replace("product,series", "product,series,x"),
                RECIPE.replace("product,series", "series,product"),
            )
        ),
        Dataset(amount=0),
        Dataset(amount=2**53),
        Dataset(root="AB" * 32),
        Dataset(root="ab" * 16),
    ],
    ids=lambda dataset: f"{dataset.feed_id} {dataset.amount} {dataset.feed[1:].decode(errors='replace')[-60:]!r}",
)
def test_feed_that_is_not_of_the_dataset_is_refuted(dataset: Dataset) -> None:
    assert broken_link(dataset.document(asked(), "value", 3), dataset.built.trust) == "dataset"


@pytest.mark.parametrize("periods", ["all", "1", "12", f"{2**53 - 1}"])
def test_recipe_is_the_last_line_with_any_number_of_periods(periods: str) -> None:
    dataset = Dataset(feed=described(f"Text; eia-dataset:1;x;\r\n\n{RECIPE.replace('all', periods)}"))
    verify(dataset.document(asked(), "value", 3), dataset.built.trust)


def test_dataset_without_facets_has_one_series() -> None:
    only = Leaf("value", ROUTE, FREQUENCY, (), DAYS[0], "1", None)
    dataset = Dataset([only], described("eia-dataset:1;value;1;"))
    document = dataset.document(Series(ROUTE, FREQUENCY, "value", {}), "newest", 0)
    result = verify_series(document, dataset.built.trust)
    assert str(result) == f"petroleum/pri/spt daily value newest {DAYS[0]} = 1 (leaf 0 of 1)"


def changed(statement: str, path: list[str | int], value: object) -> Any:
    series, indices, _ = PROVEN[statement]
    document: Any = DATASET.document(series, statement, *indices)
    place = document
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = deepcopy(value)
    return document


@pytest.mark.parametrize(
    ("statement", "path", "value", "link"),
    [
        ("value", ["series", "route"], "petroleum/pri", "dataset"),
        ("value", ["series", "frequency"], "weekly", "dataset"),
        ("value", ["series", "column"], "other", "dataset"),
        ("value", ["series", "facets"], {"product": "EPCWTI"}, "dataset"),
        ("value", ["series", "facets", "more"], None, "dataset"),
        ("value", ["series", "facets", "\ud800"], None, "dataset"),
        ("value", ["series", "column"], "price", "statement"),
        ("value", ["series", "facets", "series"], "A", "statement"),
        *(("value", ["series", "facets", "series"], text, "statement") for text in ("", "a\0", "\ud800")),
        *(("no_series", ["series", "facets", "series"], text, "statement") for text in ("", "B\0", "B\ud800")),
        *(("no_period", ["series", "period"], text, "statement") for text in ("", f"{DAYS[0]}\0", f"{DAYS[0]}\ud800")),
        ("value", ["series", "period"], DAYS[1], "statement"),
        ("value", ["series", "period"], None, "statement"),
        ("value", ["statement"], "newest", "statement"),
        ("value", ["statement"], "no_period", "statement"),
        ("newest", ["series", "period"], DAYS[2], "statement"),
        ("newest", ["statement"], "value", "statement"),
        ("no_period", ["series", "period"], None, "statement"),
        ("no_period", ["statement"], "no_series", "statement"),
        ("no_series", ["statement"], "no_period", "statement"),
        ("value", ["leaves"], [], "statement"),
        ("value", ["leaves", 0, "index"], 4, "leaf 4"),
        ("value", ["leaves", 0, "index"], 5, "leaf 5"),
        ("value", ["leaves", 0, "index"], 2**53 - 1, f"leaf {2**53 - 1}"),
        ("value", ["leaves", 0, "leaf"], str(leaf(value="0")), "leaf 3"),
        ("value", ["leaves", 0, "leaf"], "\ud800", "leaf 3"),
        ("value", ["leaves", 0, "path"], [], "leaf 3"),
        ("value", ["leaves", 0, "path", 0], "", "leaf 3"),
        ("value", ["root", "count"], 3, "reading"),
        ("value", ["root", "registries", "chain_name"], "other", "registries"),
    ],
)
def test_changed_document_is_refuted(statement: str, path: list[str | int], value: object, link: str) -> None:
    assert broken_link(changed(statement, path, value), BUILT.trust) == link


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["format"], 2),
        (["format"], None),
        (["statement"], None),
        (["statement"], "VALUE"),
        (["series"], None),
        (["series", "route"], None),
        (["series", "facets"], []),
        (["series", "facets", "series"], 1),
        (["series", "period"], 20261113),
        (["leaves"], {}),
        (["leaves", 0], "leaf"),
        (["leaves", 0, "index"], -1),
        (["leaves", 0, "index"], 1.5),
        (["leaves", 0, "leaf"], {}),
        (["leaves", 0, "path"], None),
        (["leaves", 0, "path", 0], None),
        (["root"], None),
        (["root", "format"], 1),
        (["root", "reading"], None),
    ],
)
def test_document_of_another_form_is_unreadable(path: list[str | int], value: object) -> None:
    with pytest.raises(UnreadableError):
        verify(changed("value", path, value), BUILT.trust)


@pytest.mark.parametrize("path", [["series", "period"], ["root", "format"], ["leaves", 0, "path"], ["format"]])
def test_document_that_lacks_a_member_is_unreadable(path: list[str | int]) -> None:
    document: Any = DATASET.document(asked(), "value", 3)
    place = document
    for name in path[:-1]:
        place = place[name]
    del place[path[-1]]
    with pytest.raises(UnreadableError):
        verify(document, BUILT.trust)


def test_request_is_compared_with_the_whole_document() -> None:
    series, link = asked(), "what was asked for"
    document = DATASET.document(series, "value", 3)
    turned = replace(series, facets=dict(reversed(list(series.facets.items()))))
    verify(document, BUILT.trust, Request(series=turned))
    verify(document, BUILT.trust, Request(series=series, index=None))
    for other in (
        Request(series=replace(series, period=None)),
        Request(series=replace(series, column="price")),
        Request(series=replace(series, facets={**series.facets, "series": None})),
        Request(feed_id=NAME),
        Request(series=series, feed_id=NAME),
        Request(series=series, index=3),
        Request(list="feeds"),
    ):
        assert broken_link(document, BUILT.trust, other) == link
    plain = World().build()
    for other_kind in (plain.reading(reading_of()), plain.feeds(), plain.history([]), plain.absence("NONE")):
        assert broken_link(other_kind, plain.trust, Request(series=series)) == link
    assert broken_link(plain.feeds(), plain.trust, Request(series=series, list="feeds")) == link


@pytest.mark.parametrize("period", [None, "", "\0", "\ud800"])
def test_absence_of_a_series_is_of_any_period(period: str | None) -> None:
    document = DATASET.document(asked("B", period), "no_series", 1, 2)
    assert verify_series(document, BUILT.trust).statement == "no_series"


def test_document_with_a_statement_is_of_a_series_whatever_else_it_has() -> None:
    document = DATASET.document(asked(), "value", 3)
    more: dict[str, Any] = {"absence": None, "feed_ids": [], "values": [], "error": "…"}
    assert str(verify({**document, **more}, BUILT.trust)) == str(verify(document, BUILT.trust))
