"""How a server that is wrapped is started, to measure it."""

from penstock.cli.wrapping.starting import start_of


def test_a_server_inherits_no_secret_as_it_does_behind_run(tmp_path):
    options = ["--bearer-env", "MY_TOKEN", "--header-env", "X-Key=MY_KEY"]
    entry = {"command": "penstock", "args": ["run", *options, "--", "server"], "env": {"MINE": "1"}}
    secrets = {
        "MY_TOKEN": "s1",
        "MY_KEY": "s2",
        "PENSTOCK_BEARER": "s3",
        "PENSTOCK_STORE": "memory:",
    }
    start = start_of(entry, tmp_path / "mcp.json", str(tmp_path), {"PATH": "/bin", **secrets})
    assert start.around.environment == {"PATH": "/bin", "MINE": "1"}
