"""The elements of HTML, by what they do to the text around them."""

from __future__ import annotations

from typing import Final

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
LISTS: Final = ("ul", "ol", "menu", "dir")
IN_TABLES: Final = ("td", "th", "tr", "thead", "tbody", "tfoot", "caption")
# Elements with lines of their own.
BLOCKS: Final = frozenset(
    ("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl", "dt",
     "fieldset", "figcaption", "figure", "footer", "form", "frameset", "head", "header", "hgroup", "hr", "html",
     "legend", "main", "nav", "noframes", "noscript", "optgroup", "option", "p", "search", "section", "select",
     "summary")
)  # fmt: skip
# Elements that may end without a tag.
OPTIONAL_ENDS: Final = frozenset(
    ("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "optgroup")
)
# Elements that hold others, and end with a tag.
CONTAINERS: Final = (BLOCKS | {*HEADINGS, *LISTS, "table", "pre"}) - OPTIONAL_ENDS - {"hr"}
KNOWN: Final = CONTAINERS | OPTIONAL_ENDS | frozenset(
    ("a", "abbr", "acronym", "area", "audio", "b", "base", "bdi", "bdo", "big", "br", "button", "canvas", "caption",
     "cite", "code", "col", "colgroup", "data", "datalist", "del", "dfn", "em", "embed", "font", "hr", "i", "img",
     "input", "ins", "kbd", "label", "link", "map", "mark", "math", "meta", "meter", "nobr", "object", "output",
     "param", "picture", "progress", "q", "rp", "rt", "ruby", "s", "samp", "slot", "small", "source", "span",
     "strike", "strong", "sub", "sup", "svg", "path", "g", "use", "circle", "rect", "template", "time", "track",
     "tt", "u", "var", "video", "wbr")
)  # fmt: skip
