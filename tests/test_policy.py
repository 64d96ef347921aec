from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kiosk import config
from kiosk.errors import ConfigError
from kiosk.messages import Entry, Guess, Reason
from kiosk.words import policy as policy_module
from kiosk.words.policy import EXCEPTIONS, Choice, Policy, Verdict
from kiosk.words.tables import IMAGEABILITY_FILE, SAFETY_FILE

PERSON, WORKER, COOK, BAKER, SAILOR, CAPTAIN, CHIEF, GREEK, SLUR, BRANCH = (
    "n00007846",
    "n00000001",
    "n00000002",
    "n00000003",
    "n00000004",
    "n00000005",
    "n00000006",
    "n00000007",
    "n00000008",
    "n00000009",
)


def entry(id_: str, lemmas: str, gloss: str, *above: tuple[str, str]) -> Entry:
    """An entry; `above` holds id and first lemma of each hypernym, the way of the chain first."""
    ids, chain = tuple(a for a, _ in above), tuple(name for _, name in above if name)
    return Entry(id_, tuple(lemmas.split(", ")), gloss, chain, None, None, None, ids)


TOP = (PERSON, "person")
WORK = (WORKER, "worker")
LEXICON = {
    made.synset: made
    for made in (
        entry(PERSON, "person, soul", "a human being"),
        entry(WORKER, "worker", "a person who works", TOP),
        entry(COOK, "cook", "someone who cooks food", WORK, TOP),
        entry(BAKER, "baker, bread maker", "someone who bakes bread", (COOK, "cook"), WORK, TOP),
        # A leader by one way and a worker by another, as WordNet often has it.
        entry(SAILOR, "captain, skipper", "the master of a ship", (BRANCH, "leader"), TOP, (WORKER, "")),
        entry(CAPTAIN, "captain, headwaiter", "a dining-room attendant", WORK, TOP),
        entry(CHIEF, "chief, Captain", "the leader of a group", (BRANCH, "leader"), TOP),
        entry(GREEK, "Greek, Hellene", "a native of Greece", TOP),
        entry(SLUR, "limey", "(ethnic slur) offensive term for a sailor", TOP),
    )
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the tables and the policy are."""
    (tmp_path / SAFETY_FILE).write_text(
        f"Gloss,WNID,Safety\nx,{COOK},safe\ny,{GREEK},Sensitive\nz,{SLUR},offensive\nq,n99999999,safe\n"
    )
    (tmp_path / IMAGEABILITY_FILE).write_text(
        f"wnid,synset,gloss,imageability\n{COOK},cook,x,4.5\n{GREEK},Greek,x,2.4\n{SLUR},limey,x,2.5\n"
    )
    return tmp_path


def load(folder: Path, text: str) -> Policy:
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    return Policy.load(str(folder / "policy.yaml"), LEXICON, folder)


def load_rule(folder: Path, rule: str, exceptions: str = "[]") -> Policy:
    return load(
        folder,
        f"groups:\n  - name: g\n    reason: because\n    rules:\n      - {rule}\nexceptions: {exceptions}",
    )


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(folder, text)
    return [problem.removeprefix(f"{folder / 'policy.yaml'}:") for problem in caught.value.problems]


def rule_problem(folder: Path, rule: str) -> str:
    """The one problem of a rule that stands in line 4, its key in column 5."""
    (problem,) = problems(folder, f"groups:\n- name: g\n  reason: r\n  rules: [\n    {rule}]\n")
    return problem


def withheld(policy: Policy) -> set[str]:
    return {id_ for id_ in LEXICON if not policy.verdict(id_).shown}


@pytest.mark.parametrize(
    ("rule", "meant"),
    [
        (f"synset: {COOK}", {COOK}),
        (f"below: {COOK}", {COOK, BAKER}),
        ("below: cook", {COOK, BAKER}),
        (f"below: {WORKER}", {WORKER, COOK, BAKER, SAILOR, CAPTAIN}),
        (f"below: {BRANCH}", {SAILOR, CHIEF}),
        ("below: leader", {SAILOR, CHIEF}),
        ("word: baker", {BAKER}),
        ("word: bread maker", {BAKER}),
        ("word: BAKER", {BAKER}),
        ("word: Captain", {CHIEF}),
        ('gloss: "(ethnic slur)"', {SLUR}),
        ('gloss: "(Ethnic Slur)"', {SLUR}),
        ('gloss: ".*"', set()),
        (r"gloss_pattern: '\b(bread|SHIP)\b'", {BAKER, SAILOR}),
        ("capitalised: true", {GREEK}),
        ("capitalised: yes", {GREEK}),
        ("imageability_below: 2.5", {GREEK}),
        ("safety: offensive", {SLUR}),
        ("safety: sensitive", {GREEK}),
        ("safety: safe", {COOK}),
    ],
)
def test_a_rule_means(folder: Path, rule: str, meant: set[str]) -> None:
    assert withheld(load_rule(folder, rule)) == meant


INLINE = """\
captions: {{hold: 4}}
policy:
  when_withheld: next
  groups:
    - name: trades
      reason: no work
      rules: [{{word: {word}}}]
  exceptions: [{{synset: {exception}}}]
"""


def load_inline(folder: Path, text: str, overrides: tuple[str, ...] = ()) -> Policy:
    (folder / "venue.yaml").write_text(text, encoding="utf-8")
    return Policy.load(config.load(folder / "venue.yaml", overrides).policy, LEXICON, folder)


def test_the_rules_may_stand_in_the_configuration(folder: Path) -> None:
    policy = load_inline(folder, INLINE.format(word="baker", exception=COOK), ("policy.when_withheld=hide",))
    assert withheld(policy) == {BAKER}
    assert policy.when_withheld == "hide"
    assert policy.counts().rules[0].place == f"{folder / 'venue.yaml'}:7:15"


def test_a_wrong_rule_in_the_configuration_is_told_with_its_place(folder: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_inline(folder, INLINE.format(word="captain", exception="00000001") + "  shows: none\n")
    place = folder / "venue.yaml"
    words, exception, unknown = caught.value.problems
    assert words.startswith(f"{place}:7:22: word: 'captain' ")
    assert exception.startswith(f"{place}:8:25: synset: ")
    assert unknown == f"{place}:9:3: policy.shows: unknown key. Did you mean 'show'?"


def test_a_policy_is_a_name_or_a_section_but_no_list(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"venue\.yaml:1:9: policy: must be a single value, not a list"):
        load_inline(folder, "policy: [no-slurs]")


def test_with_nothing_said_everything_is_shown(folder: Path) -> None:
    policy = load(folder, "")
    assert withheld(policy) == set()
    assert policy.when_withheld == "say"
    assert policy.verdict(SLUR) == Verdict(True, Reason(), "")


def test_the_first_rule_that_means_a_category_gives_the_reason(folder: Path) -> None:
    policy = load(
        folder,
        "groups:\n"
        f"- {{name: kitchen, reason: too hot, rules: [{{word: baker}}, {{below: {COOK}}}]}}\n"
        f"- {{name: job, reason: no trades, rules: [{{below: {WORKER}, reason: no work}}, {{word: limey}}]}}",
    )
    assert str(policy.verdict(COOK).reason) == "too hot"
    assert policy.verdict(COOK).rule == f"kitchen: below: {COOK} (cook)"
    assert policy.verdict(BAKER).rule == "kitchen: word: baker"
    assert str(policy.verdict(CAPTAIN).reason) == "no work"
    assert str(policy.verdict(SLUR).reason) == "no trades"
    counts = policy.counts()
    assert [rule.decides for rule in counts.rules] == [1, 1, 3, 1]
    assert [rule.matches for rule in counts.rules] == [1, 2, 5, 1]
    assert counts.groups == {"kitchen": 2, "job": 4}
    assert (counts.shown, counts.withheld) == (3, 6)


IN_TWO = "{de: keine Berufe, en: no trades}"


@pytest.mark.parametrize(("code", "said"), [("de", "keine Berufe"), ("en", "no trades"), ("fr", "no trades")])
def test_a_reason_is_said_in_the_language_of_the_wall_else_in_english(
    folder: Path, code: str, said: str
) -> None:
    for policy, synset in (
        (load(folder, f"groups: [{{name: g, reason: {IN_TWO}, rules: [{{word: baker}}]}}]"), BAKER),
        (
            load(folder, f"groups: [{{name: g, reason: r, rules: [{{word: baker, reason: {IN_TWO}}}]}}]"),
            BAKER,
        ),
        (load(folder, f"show: none\nreason: {IN_TWO}"), SLUR),
        (load(folder, f"show: none\nreason: r\nexceptions: [{{word: baker, reason: {IN_TWO}}}]"), BAKER),
    ):
        assert policy.verdict(synset).reason.in_(code) == said


def test_without_english_the_first_language_stands_for_the_others(folder: Path) -> None:
    reason = load(folder, "show: none\nreason: {de: kein Beruf, fr: pas un métier}").verdict(SLUR).reason
    assert [reason.in_(code) for code in ("fr", "it", "en")] == ["pas un métier", "kein Beruf", "kein Beruf"]


def test_a_reason_is_translated_once_for_all_of_a_file(folder: Path) -> None:
    policy = load(
        folder,
        "groups:\n"
        "- {name: one, reason: no trades, rules: [{word: baker}]}\n"
        f"- {{name: two, reason: {IN_TWO}, rules: [{{word: limey}}, {{word: Greek, reason: 'no'}}]}}\n",
    )
    assert policy.verdict(BAKER).reason == policy.verdict(SLUR).reason
    assert policy.verdict(BAKER).reason.in_("de") == "keine Berufe"
    assert policy.verdict(GREEK).reason.in_("de") == "no"


def test_the_translations_may_stand_by_themselves(folder: Path) -> None:
    # So that a group can be taken out, and with it no translation that another needs.
    policy = load(
        folder, f"show: none\nreason: no trades\nreasons:\n- {IN_TWO}\n- {{en: unused, de: unbenutzt}}\n"
    )
    assert policy.verdict(SLUR).reason.in_("de") == "keine Berufe"
    assert problems(folder, "reasons: [{de: ''}]") == ["1:16: reasons[0]: must be a text, not empty"]


def test_an_exception_shows_again_what_a_rule_withholds(folder: Path) -> None:
    policy = load_rule(folder, f"below: {WORKER}", f"[{{below: {COOK}}}, {{word: Greek}}]")
    assert withheld(policy) == {WORKER, SAILOR, CAPTAIN}
    assert policy.verdict(BAKER).shown
    assert policy.verdict(BAKER).rule == f"{EXCEPTIONS}: below: {COOK} (cook)"
    assert str(policy.verdict(BAKER).reason) == ""


NONE = """\
show: none
reason: not a trade
groups: [{{name: trades, rules: [{{below: {WORKER}}}]}}]
exceptions: [{{below: {COOK}}}, {{word: skipper, reason: at sea}}]
"""


def test_an_allow_list_shows_what_its_rules_mean_but_for_the_exceptions(folder: Path) -> None:
    policy = load(folder, NONE.format(WORKER=WORKER, COOK=COOK))
    assert set(LEXICON) - withheld(policy) == {WORKER, CAPTAIN}
    assert str(policy.verdict(GREEK).reason) == "not a trade"
    assert str(policy.verdict(BAKER).reason) == "not a trade"
    assert str(policy.verdict(SAILOR).reason) == "at sea"
    assert policy.verdict(CAPTAIN).rule == f"trades: below: {WORKER} (worker)"


def test_a_rule_that_means_nothing_is_named_with_its_place(folder: Path) -> None:
    (idle,) = load_rule(folder, "gloss: klingon").counts().idle
    assert idle.rule == "gloss: klingon"
    assert idle.place == f"{folder / 'policy.yaml'}:5:9"
    # A rule that only comes too late is no idle one.
    assert load_rule(folder, "word: baker", "[{word: baker}]").counts().idle == ()


def guesses(*ids: str) -> tuple[Guess, ...]:
    return tuple(Guess(id_, 0.5) for id_ in ids)


def choosing(folder: Path, when_withheld: str) -> Policy:
    return load(
        folder,
        f"when_withheld: {when_withheld}\n"
        "groups: [{name: g, reason: because, rules: [{word: baker}, {word: limey}]}]\n",
    )


@pytest.mark.parametrize("when_withheld", ["say", "next", "hide"])
def test_a_shown_guess_is_chosen_in_every_mode(folder: Path, when_withheld: str) -> None:
    policy = choosing(folder, when_withheld)
    assert policy.choose(guesses(COOK, BAKER)) == Choice(Guess(COOK, 0.5), None, 0)
    assert policy.choose(()) is None


def test_say_keeps_the_first_guess_and_says_why_it_is_withheld(folder: Path) -> None:
    choice = choosing(folder, "say").choose(guesses(BAKER, COOK))
    assert choice is not None
    assert choice.guess.synset == BAKER
    assert choice.withheld is not None
    assert str(choice.withheld.reason) == "because"
    assert choice.passed_over == 0


def test_next_passes_over_to_the_first_shown_guess_and_counts(folder: Path) -> None:
    policy = choosing(folder, "next")
    assert policy.choose(guesses(BAKER, SLUR, COOK, BAKER)) == Choice(Guess(COOK, 0.5), None, 2)


def test_next_says_so_where_no_guess_may_be_shown(folder: Path) -> None:
    choice = choosing(folder, "next").choose(guesses(SLUR, BAKER))
    assert choice is not None
    assert choice.guess.synset == SLUR
    assert choice.withheld is not None


def test_hide_shows_nothing_at_all(folder: Path) -> None:
    assert choosing(folder, "hide").choose(guesses(BAKER, COOK)) is None


def test_an_ambiguous_word_is_refused_with_the_list(folder: Path) -> None:
    assert rule_problem(folder, "{word: captain}") == (
        f"5:12: word: 'captain' stands for 3; write 'synset:' and one of {SAILOR} (the master of a ship); "
        f"{CAPTAIN} (a dining-room attendant); {CHIEF} (the leader of a group)"
    )


def test_an_unknown_word_is_refused_with_the_nearest(folder: Path) -> None:
    problem = rule_problem(folder, "{word: bakker}")
    assert problem == "5:12: word: 'bakker' is no word of the categories. Did you mean 'baker'?"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("{synset: 00007846}", "write n00007846"),
        ("{below: 00007846}", "write n00007846"),
        ("{word: 00007846}", "write n00007846"),
        ("{synset: n12345678}", "none of the 9 categories"),
        ("{below: n12345678}", "nor above one"),
        (f"{{synset: {BRANCH}}}", "none of the 9 categories"),
        ("{synset: cook}", "for a word write 'word:'"),
        ("{word: no}", "'no' is no word of the categories"),
        ("{word: 10:30}", "'10:30' is no word of the categories"),
        ("{gloss_pattern: '('}", "not a regular expression"),
        ("{gloss_pattern: '[[a]'}", "not a regular expression"),
        ("{gloss_pattern: '(?L)a'}", "not a regular expression"),
        ("{gloss_pattern: '(a+)+$'}", "too many repetitions"),
        ("{gloss_pattern: '.*.*.*x'}", "too many repetitions"),
        ("{gloss_pattern: 'a?a?a?'}", "too many repetitions"),
        ("{gloss_pattern: '(.|.)(.|.)(.|.)(.|.)'}", "too many groups"),
        (f"{{gloss_pattern: {'a' * 201}}}", "at most 200 letters"),
        ("{gloss_pattern: 'a{99999999999}'}", "not a regular expression"),
        ("{capitalised: false}", "exactly one of synset, below"),
        ("{capitalised: maybe}", "must be true or false"),
        ("{reason: only}", "exactly one of synset, below"),
        ("{word: cook, below: cook}", "exactly one of synset, below"),
        ('{word: ""}', "exactly one of synset, below"),
        ("{imageability_below: nan}", "must be a number from 1 to 5"),
        ("{safety: safer}", "Did you mean 'safe'?"),
        ("{wurd: cook}", "unknown key. Did you mean 'word'?"),
        ("cook", "must be a section"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_refused_with_its_place(folder: Path, rule: str, said: str) -> None:
    problem = next(iter(problems(folder, f"groups:\n- name: g\n  reason: r\n  rules: [\n    {rule}]\n")))
    assert said in problem
    assert problem.startswith("5:")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("show: some", "1:7: show: must be one of all, none, not 'some'"),
        ("show: none", "with 'show: none' a 'reason:' must say why a category is withheld"),
        ("when_withheld: never", "must be one of say, next, hide"),
        ("groups: [{name: g, reason: r}]", "group 'g' must have rules"),
        ("groups: [{name: g, rules: [{word: cook}]}]", "group 'g' must have a reason"),
        ("groups: [{name: exceptions, reason: r, rules: [{word: cook}]}]", "no group may have the name"),
        (
            "groups: [{name: g, reason: r, rules: [{word: cook}]}, {name: g, reason: r, rules: [{word: x}]}]",
            "two groups have the name 'g'",
        ),
        (
            "groups: [{name: g, reason: {DE: r}, rules: [{word: cook}]}]",
            "1:33: groups[0].reason: 'DE' is not the code of a language",
        ),
        (
            "groups: [{name: g, reason: {de: [r]}, rules: [{word: cook}]}]",
            "1:33: groups[0].reason: must be a single value, not a list",
        ),
        ("show: none\nreason: {}", "with 'show: none' a 'reason:' must say why a category is withheld"),
        ("groups:", "groups: must be a list"),
        ("group: []", "unknown key. Did you mean 'groups'?"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(folder: Path, text: str, said: str) -> None:
    assert said in problems(folder, text)[0]


def test_every_problem_is_said_at_once_in_the_order_of_the_file(folder: Path) -> None:
    found = problems(
        folder,
        "shwo: all\ngroups:\n- name: g\n  reason: r\n  rules:\n  - word: captain\n  - safety: x\n"
        "exceptions:\n- synset: 1\n- gloss_pattern: (\n",
    )
    assert [problem.split(":")[0] for problem in found] == ["1", "6", "7", "9", "10"]


def test_many_unknown_words_are_refused_in_no_time(folder: Path) -> None:
    rules = "\n".join(f"- word: {'wurd' * 9}{at}" for at in range(2900))
    started = time.monotonic()
    assert len(problems(folder, f"exceptions:\n{rules}")) == 2900
    assert time.monotonic() - started < 20


def test_too_many_rules_are_refused(folder: Path) -> None:
    assert "at most 3000 rules" in problems(folder, "exceptions:\n" + "- word: cook\n" * 3001)[0]


def test_a_pattern_that_passes_is_not_slow() -> None:
    from kiosk.words.rules import check_pattern

    for pattern in (r"\b(a|b)\b", "[*+{]*", r"\*\+\{", "colou?r", "^a.*b$"):
        check_pattern(pattern)


def test_a_pattern_that_takes_too_long_is_refused_with_its_place(folder: Path) -> None:
    lexicon = {f"n{at:08}": entry(f"n{at:08}", f"word {at}", "a" * 400) for at in range(3000)}
    path = folder / "policy.yaml"
    path.write_text("exceptions:\n- gloss_pattern: '(a|a|a).*.*x'\n")
    started = time.thread_time()
    with pytest.raises(ConfigError, match=r"policy\.yaml:2:3: the gloss patterns take too long"):
        Policy.load(str(path), lexicon, folder)
    assert time.thread_time() - started < 10


def test_an_unknown_policy_lists_those_there_are() -> None:
    with pytest.raises(ConfigError) as caught:
        Policy.load("no-slur", LEXICON)
    assert "as-2019" in str(caught.value)
    assert str(caught.value).endswith("not 'no-slur'. Did you mean 'no-slurs'?")


def test_a_missing_policy_file_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        Policy.load("config/policies/not-there.yaml", LEXICON)


@pytest.mark.parametrize("rule", ["safety: safe", "imageability_below: 3"])
def test_a_missing_table_is_refused_with_the_command_that_fetches_it(folder: Path, rule: str) -> None:
    for name in (SAFETY_FILE, IMAGEABILITY_FILE):
        (folder / name).unlink()
    with pytest.raises(ConfigError, match=r"run scripts/fetch_imagenet_safety\.py"):
        load_rule(folder, rule)


@pytest.mark.parametrize(
    "content",
    [b"", b"a,b\n1,2\n", b"wnid,safety\nn00000001\n", b"wnid,safety\nn1,perhaps\n", b"\xff\xfe",
     b"wnid,safety\n\0,x", b'wnid,safety\n"' + b"x" * 200_000, b"x" * 5_000_000],
)  # fmt: skip
def test_a_damaged_table_is_refused(folder: Path, content: bytes) -> None:
    (folder / SAFETY_FILE).write_bytes(content)
    with pytest.raises(ConfigError):
        load_rule(folder, "safety: safe")


@pytest.mark.parametrize("score", ["0.5", "nan", "6", "1e1", "", "high"])
def test_a_score_out_of_range_is_refused_with_its_line(folder: Path, score: str) -> None:
    (folder / IMAGEABILITY_FILE).write_text(f"wnid,imageability\n{COOK},3\n{GREEK},{score}\n")
    with pytest.raises(ConfigError, match=r"imageability_scores\.csv:3: imageability must be"):
        load_rule(folder, "imageability_below: 3")


PIECES = st.one_of(
    st.sampled_from(
        ["groups:", "exceptions:", "show: none", "reason: x", "- name: g", "  rules:", "  - word: cook",
         "  - gloss_pattern: ", "  - below: ", "- synset: n00000001", "- {safety: safe}", "word: &a", "*a",
         "- gloss_pattern: '(a|b)?c{2}'", "- imageability_below: 2", "- capitalised: yes", "[[", "{", "\t",
         "(?", "\\", "- 1"]
    ),
    st.text(max_size=12),
)  # fmt: skip


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@settings(deadline=None, max_examples=300)
@given(st.lists(PIECES, max_size=12).map("\n".join))
def test_no_text_whatever_raises_anything_but_a_config_error(scratch: Path, text: str) -> None:
    (scratch / "policy.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        policy = Policy.load(str(scratch / "policy.yaml"), LEXICON, scratch)
    except ConfigError as error:
        assert error.problems
    else:
        policy.counts()
        policy.choose(guesses(BAKER))


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(alphabet="()|.*+?{}[]\\ab^$1,-:=<P", max_size=30), st.text(max_size=30)))
def test_no_pattern_whatever_raises_anything_but_a_config_error(scratch: Path, pattern: str) -> None:
    quoted = pattern.replace("'", "''")
    text = f"exceptions:\n- gloss_pattern: '{quoted}'\n"
    (scratch / "policy.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    started = time.monotonic()
    try:
        Policy.load(str(scratch / "policy.yaml"), LEXICON, scratch)
    except ConfigError as error:
        assert error.problems
    assert time.monotonic() - started < 5


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=40))
@example("/\0")
def test_no_name_whatever_raises_anything_but_a_config_error(name: str) -> None:
    if name in config.names(policy_module.FOLDER):
        return
    with pytest.raises(ConfigError):
        Policy.load(name, LEXICON)
