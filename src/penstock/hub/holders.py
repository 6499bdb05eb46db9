"""The servers that may have a resource. A URI leads back to the server that has it.

Some URIs are in no list: those that come from a template, and those that a result offers as a link. A
link leads to the server that gave it. If its URI belongs to another server, the client gets it with the
server's name in it. So no server can take a resource of another, and two servers may use one URI.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from penstock.hub.hub_state import Holder, HubState
from penstock.hub.member_state import MemberState
from penstock.hub.names import uri_without_server, uris_for
from penstock.hub.templates import admits, fixed_start

# A server, its own template, and the client's name for the template.
_Template = tuple[MemberState, str, str]


def holders_of(state: HubState, uri: str) -> list[Holder]:
    """Return the servers that may have a resource, each with its own URI for it."""
    found = _claimants(state, _templates(state), uri)
    able = [member for member in state.all if member.can("resources") or not member.is_known]
    return found or _named_in(state, uri) or [(member, uri) for member in able]


def note_links(state: HubState, member: MemberState, uris: Iterable[str]) -> dict[str, str]:
    """Remember the server of resources that a result offers. Return the client's URIs, where they
    differ."""
    others = [common for owner, _, common in _templates(state) if owner is not member]
    starts = tuple(map(fixed_start, others))
    renamed = {}
    for uri in uris:
        # Few URIs begin like a template, and a server may have thousands of templates.
        in_question = others if uri.startswith(starts) else ()
        common = uri
        if _is_of_another(state, member, in_question, uri):
            common = renamed[uri] = _free_uri(state, member, uri)
        member.links.put(common, uri)
    return renamed


def _is_of_another(
    state: HubState, member: MemberState, templates: Iterable[str], uri: str
) -> bool:
    listed = _listed(state, uri)
    if listed is not None:
        return listed[0] is not member
    linked = any(holder is not member for holder, _ in _linked(state, uri))
    return linked or any(admits(template, uri) for template in templates)


def _free_uri(state: HubState, member: MemberState, uri: str) -> str:
    """Return a URI with the server's name in it that leads to no other server."""
    return next(
        made
        for made in uris_for(member.name, uri)
        if _listed(state, made) is None
        and all(holder is member for holder, _ in _linked(state, made))
    )


def _claimants(state: HubState, templates: Sequence[_Template], uri: str) -> list[Holder]:
    """Return the servers that have listed a resource, or else all that may have it because of a
    template or a link. If these are several, neither is believed: each has to be asked."""
    listed = _listed(state, uri)
    if listed is not None:
        return [listed]
    linked = _linked(state, uri)
    renamed = [(member, own) for member, own in linked if own != uri]
    if renamed:
        return renamed  # Only Penstock has made this URI.
    return _of_renamed_templates(templates, uri) or [
        *dict.fromkeys([*_of_templates(templates, uri), *linked])
    ]


def _listed(state: HubState, uri: str) -> Holder | None:
    return state.find("resources", uri) or state.find("resourceTemplates", uri)


def _linked(state: HubState, uri: str) -> list[Holder]:
    return [(member, own) for member in state.all if (own := member.links.get(uri)) is not None]


def _of_renamed_templates(templates: Sequence[_Template], uri: str) -> list[Holder]:
    """Return the servers whose template has the server's name in it, and admits the URI."""
    found = [
        (member, uri_without_server(uri, member.name))
        for member, own, common in templates
        if own != common and admits(common, uri)
    ]
    return [(member, own) for member, own in dict.fromkeys(found) if own is not None]


def _of_templates(templates: Sequence[_Template], uri: str) -> list[Holder]:
    return [
        (member, uri) for member, own, common in templates if own == common and admits(own, uri)
    ]


def _named_in(state: HubState, uri: str) -> list[Holder]:
    """Return the servers whose name is in a URI."""
    own = ((member, uri_without_server(uri, member.name)) for member in state.all)
    return [(member, inner) for member, inner in own if inner is not None]


def _templates(state: HubState) -> list[_Template]:
    return [
        (member, own, state.names.common("resourceTemplates", member.name, own))
        for member in state.all
        for own in member.names("resourceTemplates")
    ]
