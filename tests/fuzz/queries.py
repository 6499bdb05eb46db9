"""Strategies for programs of agents in SQL and jq, from grammars that also know what is forbidden."""

from hypothesis import strategies as st

_NAMES = ("id", "name", "tags", "a.b", "nope", "rowid", "result", "sqlite_master", "")
_SQL_LEAVES = (
    "id", "name", '"a.b"', "result.id", "nope", "1", "0", "-1", "1.5e300", "9223372036854775807", "NULL", "''",
    "'x'", "x'00ff'", "char(0)", "*", "count(*)", "'$CANARY'", "'[1,{\"a\":2}]'", "current_timestamp", "?", ":a",
)  # fmt: skip
_SQL_FUNCTIONS = (
    "abs", "sum", "max", "total", "group_concat", "length", "upper", "hex", "quote", "typeof", "json", "json_array",
    "json_each", "median", "stddev_pop", "unicode", "zeroblob", "random", "printf", "readfile", "load_extension",
    "sqlite_version", "fts3_tokenizer", "nope", "row_number",
)  # fmt: skip
_SQL_TWO = (
    "instr", "json_extract", "quantile", "regexp_extract", "date_trunc", "strftime", "round", "substr", "writefile",
    "nullif", "percent_rank",
)  # fmt: skip
_OPERATORS = (
    "+", "-", "*", "/", "%", "||", "=", "<>", "<", "IS", "AND", "OR", "LIKE", "GLOB", "REGEXP", "MATCH", "->", "->>",
    "<<", "COLLATE",
)  # fmt: skip
_SOURCES = (
    "result", "result a JOIN result b ON a.id = b.id", "json_each('[1,2]')", "result, json_tree(tags)",
    "sqlite_master", "pragma_table_info('result')", "main.result", "nope", "(VALUES (1), (2))", "$CANARY",
    "fsdir('$CANARY')",
)  # fmt: skip
_JQ_LEAVES = (
    ".", "..", ".[]", ".[0]", ".[-1]", ".[1:3]", ".[].id", ".[].name?", ".nope", '.["a.b"]', "1", "-1", "1e1000", "nan",
    "null", '"x"', '"\\(1 + 1)"', "[]", "{}", "[1, [2]]", '{"a": 1}', "empty", "error", "input", "inputs", "env", "$ENV",
    "$__loc__", "$__prog_args", "now", "input_filename", "input_line_number", "halt", "halt_error", "debug", "stderr",
    "get_search_list", "modulemeta", "builtins", "@base32d", "@json", "@sh", "@uri", "infinite", "ltrimstr(1)",
    'import "a" as a; 1', 'include "$CANARY"; 1', 'import "$CANARY" as $d; $d', '"$CANARY"', "$nope",
)  # fmt: skip
_JQ_ONE = (
    "map({})", "select({})", "[{}]", "first({})", "[limit(5; {})]", "path({})", "[paths({})]", "to_entries | {}",
    "group_by({})", "sort_by({})", "unique_by({})", "any({})", "try ({}) catch .", "({})?", "reduce ({}) as $x (0; . + 1)",
    "[foreach ({}) as $x (0; . + 1; .)]", "def f: {}; f", "label $out | ({}), break $out", "tojson | {}", "fromjson | {}",
    "test({})", "splits({})", "getpath({})", "del({})", "tostream | {}", "@text {}", "ascii_downcase | {}", "implode | {}",
    "input_line_number | {}", "[range({}; 3)]", "-({})", "not | {}", "getpath([{}])", "ltrimstr({})", '@html "\\({})"',
    "strptime({})", "mktime | {}", "tojson | @base64d | {}", "splits({}; null)", "$ENV | {}", "error({})",
)  # fmt: skip
_JQ_TWO = (
    "{} | {}", "{}, {}", "({}) + ({})", "({}) * ({})", "({}) // ({})", "({}) == ({})", "if {} then {} else . end",
    '{{a: ({}), ("b"): ({})}}', "({}) as $v | {}", "({}) as [$a, {{b: $c}}] | {}", "with_entries({}; {})", "({}) |= ({})",
    "setpath([{}]; {})", "limit({}; {})", "sub({}; {})", "({}) % ({})", "({}) - ({})", "[{}][{}]",
)  # fmt: skip


def _joined(parts: st.SearchStrategy[str], form: str) -> st.SearchStrategy[str]:
    return st.lists(parts, min_size=form.count("{}"), max_size=form.count("{}")).map(
        lambda found: form.format(*found)
    )


def _grown(inner: st.SearchStrategy[str], forms: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(forms).flatmap(lambda form: _joined(inner, form))


def _expressions() -> st.SearchStrategy[str]:
    forms = (
        *(f"{name}({{}})" for name in _SQL_FUNCTIONS),
        *(f"{name}({{}}, {{}})" for name in _SQL_TWO),
        *(f"({{}} {operator} {{}})" for operator in _OPERATORS),
        "CASE WHEN {} THEN {} END", "CAST({} AS TEXT)", "({} IN (SELECT id FROM result))", "(SELECT {} FROM result)",
        "sum({}) OVER (ORDER BY {})", "({} BETWEEN {} AND {})", "EXISTS (SELECT {})", "({}) COLLATE nope",
    )  # fmt: skip
    return st.recursive(
        st.sampled_from(_SQL_LEAVES), lambda inner: _grown(inner, forms), max_leaves=6
    )


def sql_programs() -> st.SearchStrategy[str]:
    """Return SELECTs, and statements that are none."""
    expressions = _expressions()
    forms = (
        "SELECT {} FROM $SOURCE", "SELECT {} AS n, {} AS n FROM $SOURCE WHERE {}", "SELECT DISTINCT {} FROM $SOURCE LIMIT 3",
        "SELECT {}, {} FROM $SOURCE GROUP BY {} ORDER BY 1", "SELECT {} UNION ALL SELECT {}", "VALUES ({}, {})",
        "WITH q AS (SELECT {} AS x FROM $SOURCE) SELECT x, {} FROM q", "SELECT {} FROM $SOURCE; SELECT {}", "EXPLAIN SELECT {}",
        "WITH RECURSIVE q(n) AS (SELECT {} UNION SELECT n + 1 FROM q WHERE n < 9) SELECT n FROM q LIMIT 20",
        "ATTACH '$CANARY' AS {}", "DELETE FROM result WHERE {}", "INSERT INTO result VALUES ({})", "PRAGMA query_only = {}",
        "CREATE TABLE t AS SELECT {}", "SELECT {} INTO OUTFILE '$CANARY'", "UPDATE result SET id = {}", "VACUUM INTO {}",
    )  # fmt: skip
    programs = _grown(expressions, forms)
    return st.builds(
        lambda text, source: text.replace("$SOURCE", source), programs, st.sampled_from(_SOURCES)
    )


def jq_programs() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(_JQ_LEAVES)
    return st.recursive(leaves, lambda inner: _grown(inner, _JQ_ONE + _JQ_TWO), max_leaves=6)
