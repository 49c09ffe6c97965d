"""deploy/compose.yaml and its page as they are written: what listens where, what is secret, what is started."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from pipeline.cli import app
from pipeline.runs.instance_file import HISTORY

DEPLOY = Path(__file__).parents[2] / "deploy"
PAGE = (DEPLOY / "README.md").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def test_nothing_is_published_beyond_loopback_unless_it_is_asked_for() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert len(ports) == 4
    assert all(port.startswith(("127.0.0.1:", "${QUERYMUST_BIND:-127.0.0.1}:")) for port in ports), ports


def test_no_secret_is_written_down() -> None:
    for path in DEPLOY.iterdir():
        for line in path.read_text("utf-8").splitlines():
            for output in re.findall(r"(?:PASSWORD|API_KEY)\w*[:=]\s*\"?([^\s\"]+)", line):
                assert output.startswith(("${", "$", "...", "-", "?", "set", "/run/secrets/")), (path.name, line)


def test_no_machine_is_asked_for_a_secret_of_another_one() -> None:
    assert not re.findall(r"^[^#]*\$\{\w+:?\?", (DEPLOY / "compose.yaml").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("profile", ["stores", "builder", "readers"])
def test_each_machine_has_a_profile_and_a_line_of_the_page(profile: str) -> None:
    assert any(service["profiles"] == [profile] for service in SERVICES.values())
    assert f"--profile {profile} up -d" in PAGE


def test_every_service_of_the_builder_reads_the_same_history() -> None:
    builder = [service for service in SERVICES.values() if service["profiles"] == ["builder"]]
    assert len(builder) == 5
    assert {service["environment"][HISTORY] for service in builder} == {
        "postgresql+psycopg2://querymust@${QUERYMUST_STORES:-postgres}:5432/querymust?passfile=/run/secrets/pgpass"
    }
    assert all(service["secrets"] == ["pgpass"] for service in builder)


def test_the_password_is_in_files_and_in_no_variable() -> None:
    assert set(COMPOSE["secrets"]) == {name for service in SERVICES.values() for name in service.get("secrets", [])}
    assert all(set(secret) == {"file"} for secret in COMPOSE["secrets"].values())
    given = [
        f"{name}={output}" for service in SERVICES.values() for name, output in service.get("environment", {}).items()
    ]
    assert [line for line in given if "PASSWORD" in line] == ["POSTGRES_PASSWORD_FILE=/run/secrets/postgres_password"]


def test_every_service_that_another_waits_for_says_when_it_is_ready() -> None:
    checked = {name for name, service in SERVICES.items() if "test" in service.get("healthcheck", {})}
    assert set(SERVICES) - checked == {"workers"}
    for name, service in SERVICES.items():
        for other, how in service.get("depends_on", {}).items():
            assert other in checked
            assert how["condition"] == "service_healthy"
            elsewhere = SERVICES[other]["profiles"] != service["profiles"]
            assert how.get("required", True) is not elsewhere, f"{name} may be on another machine than {other}"


def test_the_builder_starts_in_order() -> None:
    after = {name: set(service.get("depends_on", {})) for name, service in SERVICES.items()}
    assert after["code"] == {"postgres", "chroma"}
    assert after["ui"] == {"code"}
    assert after["daemon"] == {"code", "scheduler"}
    assert after["workers"] == {"scheduler"}


def test_the_workspace_names_what_compose_starts() -> None:
    (entry,) = yaml.safe_load((DEPLOY / "workspace.yaml").read_text("utf-8"))["load_from"]
    assert entry["grpc_server"]["host"] == {"env": "QUERYMUST_CODE"}
    assert entry["grpc_server"]["port"] == {"env": "QUERYMUST_CODE_PORT"}
    environment = SERVICES["code"]["environment"]
    assert environment["QUERYMUST_CODE"] == "code"
    assert f"-p {environment['QUERYMUST_CODE_PORT']}" in SERVICES["code"]["command"]
    assert f"-p {environment['QUERYMUST_CODE_PORT']}" in PAGE


def test_every_command_of_ours_exists_with_its_options() -> None:
    commands: Any = get_command(app)
    lines = [*PAGE.splitlines(), *(str(service.get("command", "")) for service in SERVICES.values())]
    output = [result for line in lines for result in re.findall(r"(?<![\w/.:@-])querymust (?:[a-z]+ ?)+[^`#&|]*", line)]
    ours = [words for words in map(str.split, output) if words[1] in commands.commands]
    assert len(ours) >= 6
    for words in ours:
        command, rest = commands.commands[words[1]], words[2:]
        if hasattr(command, "commands"):
            command, rest = command.commands[rest[0]], rest[1:]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= known, words
