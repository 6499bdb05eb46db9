"""Roll up logs by host: one file for each of 48 hosts, of which the format is not known beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Final

from benchmarks.programs.player import Player
from benchmarks.programs.task import Task

_REQUEST: Final = re.compile(r"status=(\d+) ms=(\d+)")
_MOST: Final = 5
_SITES: Final = ("ams", "bom", "gru", "iad", "nrt", "syd")
_ROUTES: Final = ("/v1/orders", "/v1/cart", "/v1/search", "/v1/customers", "/health")

Host = tuple[str, int, int, int]


class HostLogs(Task):
    """The five hosts with the largest share of requests that failed (status 500 and above).

    With each: its requests, how many failed, and the milliseconds of the slowest.
    """

    what = "roll up logs by host"
    hosts_per_site = 8

    @property
    def hosts(self) -> list[str]:
        numbers = range(1, self.hosts_per_site + 1)
        return [f"{site}-{number:02}" for site in _SITES for number in numbers]

    def make(self) -> None:
        for host in self.hosts:
            lines = "\n".join(_lines(host))
            (self.folder / f"{host}.log").write_text(f"{lines}\n", encoding="utf-8")

    def right(self) -> Any:
        return _worst(
            {host: (self.folder / f"{host}.log").read_text("utf-8") for host in self.hosts}
        )

    def plain(self, player: Player) -> Any:
        # One result with all files would be far over the limit of every host.
        return _worst({name: self._read(player, name) for name in self._names(player)})

    def _read(self, player: Player, name: str) -> str:
        return player.call("read_text_file", path=f"{self.folder}/{name}.log")

    def _names(self, player: Player) -> list[str]:
        return re.findall(r"\] (\S+)\.log", player.call("list_directory", path=str(self.folder)))

    def stored(self, player: Player) -> Any:
        names = self._names(player)
        paths = [f"{self.folder}/{name}.log" for name in names]
        token = player.value("read_multiple_files", paths=paths)["continuation_token"]
        of = {"continuation_token": token, "path": "/~text", "mode": "sql"}
        player.call("read_result", **of, query="SELECT text FROM result LIMIT 2")
        query = (
            "WITH t AS (SELECT text x,sum(text GLOB '/*.log:') OVER (ORDER BY line) h FROM result),"
            "u AS (SELECT h,substr(x,instr(x,'status=')+7,3)+0>499 e,substr(x,instr(x,' ms=')+4)+0 m "
            "FROM t WHERE x LIKE '%status=%') "
            "SELECT h,count(*),sum(e),max(m) FROM u GROUP BY h ORDER BY avg(e) DESC,h LIMIT 5"
        )
        answer = player.value("read_result", **of, query=query)
        return [[names[at - 1], *numbers] for at, *numbers in answer["rows"]]

    def code_mode(self, player: Player) -> Any:
        player.call("search", query="file sizes read", detail="detailed", limit=2)
        look = f"""r=(await call_tool("list_directory_with_sizes",{{"path":"{self.folder}"}}))["content"]
return r[:60],(await call_tool("read_file",{{"path":"{self.folder}/"+r.split()[1],"head":3}}))["content"]"""
        player.call("execute", code=look)
        code = f"""import re
P="{self.folder}/"
o=[]
for n in re.findall(r"\\S+\\.log",(await call_tool("list_directory_with_sizes",{{"path":P}}))["content"]):
    x=re.findall(r"status=(\\d+) ms=(\\d+)",(await call_tool("read_file",{{"path":P+n}}))["content"])
    o.append([n[:-4],len(x),sum(s>"499" for s,_ in x),max(int(m) for _,m in x)])
return sorted(o,key=lambda x:-x[2]/x[1])[:5]"""
        return player.value("execute", code=code)

    def program(self, player: Player) -> Any:
        look = f"""P="{self.folder}/"
r=await text("list_directory",{{"path":P}})
r[:60],await text("read_file",{{"path":P+r.split()[1],"head":3}})"""
        player.call("run_python", code=look)
        code = r"""import re
o=[]
for n in re.findall(r"\S+\.log",r):
    x=re.findall(r"status=(\d+) ms=(\d+)",await text("read_file",{"path":P+n}))
    o.append([n[:-4],len(x),sum(s>"499" for s,_ in x),max(int(m) for _,m in x)])
sorted(o,key=lambda x:-x[2]/x[1])[:5]"""
        return player.value("run_python", code=code)


def _worst(texts: Mapping[str, str]) -> list[Host]:
    return _first(_summary(host, text) for host, text in texts.items())


def _summary(host: str, text: str) -> Host:
    requests = [(int(status), int(ms)) for status, ms in _REQUEST.findall(text)]
    failed = sum(status >= 500 for status, _ in requests)
    return host, len(requests), failed, max(ms for _, ms in requests)


def _first(hosts: Iterable[Host]) -> list[Host]:
    return sorted(hosts, key=lambda host: -host[2] / host[1])[:_MOST]


def _lines(host: str) -> list[str]:
    draw = Random(host)
    trouble = draw.uniform(0.01, 0.2)
    return [_line(draw, number, trouble) for number in range(80)]


def _line(draw: Random, number: int, trouble: float) -> str:
    time = f"2026-03-02T04:{number * 40 // 60 % 60:02}:{number * 40 % 60:02}.{draw.randrange(1_000):03}Z"
    trace = f"{draw.getrandbits(32):08x}"
    if draw.random() < 0.15:
        return f"{time} WARN  cache miss key=session:{trace} after={draw.randint(1, 90)}s"
    status = 503 if draw.random() < trouble else draw.choice((200, 200, 200, 201, 304, 404))
    where = f"{draw.choice(_ROUTES)}/{draw.randint(1, 9_999)}"
    level = "ERROR" if status == 503 else "INFO "
    ms = int(draw.lognormvariate(4, 0.8))
    return f"{time} {level} request method=GET path={where} status={status} ms={ms} trace={trace}"
