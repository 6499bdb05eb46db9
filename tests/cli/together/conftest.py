"""A host's config in a folder, whose servers are put together and taken apart."""

import pytest

from penstock.cli.together import plan_apart, plan_together
from penstock.cli.wrapping import Launcher, write

PENSTOCK = Launcher("/opt/penstock")


class HostConfig:
    def __init__(self, path, text):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.write(text)

    @property
    def text(self):
        return self.path.read_bytes().decode()

    @property
    def servers_file(self):
        return self.path.with_name(f"{self.path.name}.penstock-servers")

    def write(self, text):
        self.path.write_bytes(text.encode())

    def edit(self, old, new):
        assert old in self.text
        self.write(self.text.replace(old, new))

    def edit_servers(self, old, new):
        text = self.servers_file.read_text("utf-8")
        assert old in text
        self.servers_file.write_text(text.replace(old, new), "utf-8")

    def plan(self, **options):
        return plan_together(self.text, self.path, PENSTOCK, **options)

    def together(self, **options):
        made = self.plan(**options)
        write(made)
        return made

    def apart(self, *left_out):
        made = plan_apart(self.text, self.path, left_out)
        write(made)
        return made


@pytest.fixture
def host_config(tmp_path):
    return lambda text, name="mcp.json": HostConfig(tmp_path / name, text)
